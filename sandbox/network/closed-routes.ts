// Closes addresses for a command that has its own network: metadata services and this machine's own
// addresses. The routes are set in the jail's namespace before the command begins; the command has no right
// to change them.
import { isIPv6 } from "node:net";
import { findProgram } from "../exec/environment.ts";
import { inNamespace } from "../jail/in-namespace.ts";
import { metadataAddresses, ownAddresses } from "./forbidden-address.ts";

/** The link-local block contains the metadata services of most clouds. The others have one address each. */
const closed: readonly string[] = [
  "169.254.0.0/16",
  // Alibaba Cloud: https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata
  "100.100.100.200",
  // Oracle Cloud: https://docs.oracle.com/iaas/Content/Compute/Tasks/gettingmetadata.htm
  "192.0.0.192",
  // Amazon: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
  "fd00:ec2::/32",
  ...metadataAddresses,
];

/** Rejects if the routes cannot be set. */
export function closeRoutes(pid: number): Promise<void> {
  const lines = [...closed, ...[...ownAddresses()].filter(isOutward)].map(
    (address) => `route replace unreachable ${address}\n`,
  );
  return inNamespace("net", pid, [findProgram("ip") ?? "ip", "-force", "-batch", "-"], lines.join(""));
}

/** The loopback is the command's own there, and link-local addresses are closed as a block. */
function isOutward(address: string): boolean {
  return address !== "127.0.0.1" && !(isIPv6(address) && /^(::1$|fe80:)/i.test(address));
}
