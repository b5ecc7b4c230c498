// Addresses that no command reaches through the proxy, whatever is allowed: this machine, its networks,
// metadata services.
import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { isPrivate } from "../sources/private-address.ts";

/**
 * Metadata services at public addresses: Azure's,
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16. Those of other clouds
 * are link-local or private (169.254.169.254, 100.100.100.200, 192.0.0.192, fd00:ec2::254).
 */
export const metadataAddresses: readonly string[] = ["168.63.129.16"];

/** `address`: in the form that a resolver or the URL parser gives. */
export function isForbidden(address: string): boolean {
  return isPrivate(address) || metadataAddresses.includes(address) || ownAddresses().has(address);
}

/**
 * The machine's own addresses. A service that listens on all of them could also be reached by a public one.
 * They are looked up each time because they change.
 */
export function ownAddresses(): Set<string> {
  const running = Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).map(({ address }) => address),
  );
  return new Set([...running, ...localIn(kernelTable("fib_trie"), kernelTable("if_inet6"))]);
}

/**
 * Node leaves out interfaces without a carrier, such as a bridge for containers while none runs, whose address is
 * local all the same. The kernel's tables have them: `trie` for IPv4, `inet6` for IPv6.
 */
function localIn(trie: string, inet6: string): string[] {
  const four = [...trie.matchAll(/\|-- (\S+)\n(?:\s+\/\d+ .*\n)*?\s+\/32 host LOCAL/g)].map(
    ([, address = ""]) => address,
  );
  const six = [...inet6.matchAll(/^[0-9a-f]{32}/gm)].map(([digits]) => digits.replace(/.{4}(?!$)/g, "$&:"));
  return [...four, ...six.map((groups) => new URL(`http://[${groups}]`).hostname.slice(1, -1))];
}

/** Empty where the system has no such table. */
function kernelTable(name: string): string {
  try {
    return readFileSync(`/proc/net/${name}`, "utf8");
  } catch {
    return "";
  }
}
