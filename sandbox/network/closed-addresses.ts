// Closes addresses for a command that has its own network: this machine's, metadata services, and those that
// only the local link knows. The policies are set in the jail's namespace before the command begins; the command
// has no right to change them.
import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { findProgram } from "../exec/environment.ts";
import { inNamespace } from "../jail/in-namespace.ts";
import { metadataAddresses, ownAddresses } from "./forbidden-address.ts";

/**
 * What `ip xfrm policy` closes. Unreachable routes would not do: a socket that is bound to an interface
 * (SO_BINDTODEVICE, a scope) passes them, and pasta and slirp4netns then hand what is sent to 127.0.0.1 to this
 * machine's own loopback.
 */
const closed: readonly string[] = [
  // The loopback's own traffic is exempt from policies for IPv4.
  "127.0.0.0/8",
  // Most clouds' metadata services.
  "169.254.0.0/16",
  // Alibaba Cloud: https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata
  "100.100.100.200",
  // Oracle Cloud: https://docs.oracle.com/iaas/Content/Compute/Tasks/gettingmetadata.htm
  "192.0.0.192",
  // Amazon: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
  "fd00:ec2::/32",
  ...metadataAddresses,
  // Multicast: services of this machine hear it too.
  "224.0.0.0/4",
  // ICMPv6 finds neighbours at these addresses.
  ...["ff00::/8", "fe80::/10"].flatMap((block) => [`${block} proto tcp`, `${block} proto udp`]),
];

/** Rejects if the policies cannot be set. */
export async function closeAddresses(pid: number): Promise<void> {
  const table = await readFile(`/proc/${pid}/net/dev`, "utf8");
  const outward = [...table.matchAll(/^\s*(\S+):/gm)].flatMap(([, name]) => (name === "lo" ? [] : [name]));
  const targets = [
    ...closed,
    ...[...ownAddresses()].filter(isOutward),
    // The policies of IPv6 apply to the loopback too.
    ...outward.map((name) => `::1 dev ${name}`),
  ];
  const lines = targets.map((target) => `xfrm policy update dst ${target} dir out action block\n`);
  await inNamespace("net", pid, [findProgram("ip") ?? "ip", "-batch", "-"], lines.join(""));
}

/** The loopback and link-local addresses are closed as blocks. */
function isOutward(address: string): boolean {
  return address !== "127.0.0.1" && !(isIPv6(address) && /^(::1$|fe80:)/i.test(address));
}
