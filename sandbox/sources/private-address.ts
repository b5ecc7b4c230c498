// Tells whether an address belongs to this machine or its local network, however it is spelled. Knows nothing
// about git.
import { lookup } from "node:dns/promises";
import { BlockList, isIPv4 } from "node:net";
import { HandrailError } from "../../shared/errors.ts";

/**
 * Networks that are not globally reachable: https://www.iana.org/assignments/iana-ipv4-special-registry and
 * iana-ipv6-special-registry.
 */
// There are two lists, because one for both would match an IPv4 address as IPv6 too.
const blocked4 = new BlockList();
const blocked6 = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const)
  blocked4.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  // Everything outside of 2000::/3, the ways to write an IPv4 address as IPv6, and documentation.
  ["::", 3],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["4000::", 2],
  ["8000::", 1],
] as const)
  blocked6.addSubnet(network, prefix, "ipv6");

/** `address`: in the form that a resolver gives. */
export function isPrivate(address: string): boolean {
  return isIPv4(address) ? blocked4.check(address, "ipv4") : blocked6.check(address, "ipv6");
}

/**
 * All addresses of `host`: a name, or a number in any spelling that the system's resolver accepts. Throws
 * `forbidden` if one of them is private, and `invalid_request` if there is none.
 */
export async function publicAddresses(host: string): Promise<string[]> {
  const found = await lookup(host.replace(/^\[|\]$/g, ""), { all: true }).catch(() => []);
  const addresses = found.map(({ address }) => address);
  if (addresses.length === 0)
    throw new HandrailError("invalid_request", "source.git: no address is known for that host.");
  if (addresses.some(isPrivate)) {
    throw new HandrailError(
      "forbidden",
      "source.git: lies on this machine or its local network, which this server does not open. HANDRAIL_PRIVATE_SOURCES=1 on the server allows it.",
    );
  }
  return addresses;
}
