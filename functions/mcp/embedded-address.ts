// Finds the IPv4 addresses that an IPv6 address may contain, since both lead to the same machine. Pure.

/**
 * Prefixes in hexadecimal digits: IPv4-compatible, -mapped and -translated (RFC 4291 2.5.5, RFC 2765 2.1), NAT64 (RFC
 * 6052, RFC 8215), 6to4 (RFC 3056), Teredo (RFC 4380).
 */
const carriers = /^(?:0{16}|0064ff9b|2002|20010000)/;

/**
 * The four bytes that may be the IPv4 address: the last ones; those of 6to4; those of Teredo's server; those that NAT64
 * uses for its prefix length.
 */
const places = [
  [12, 13, 14, 15],
  [2, 3, 4, 5],
  [4, 5, 6, 7],
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
];

/** Returns `host` itself, in the URL parser's form without brackets, and each IPv4 address to which it may lead. */
export function meaningsOf(host: string): string[] {
  if (!host.includes(":")) return [host];
  const [before = [], after = []] = host.split("::").map(groupsOf);
  const between = Array(8 - before.length - after.length).fill("0000");
  const digits = [...before, ...between, ...after].join("");
  if (!carriers.test(digits)) return [host];
  const bytes = (digits.match(/../g) ?? []).map((two) => Number.parseInt(two, 16));
  const read = (place: readonly number[], turned = 0) =>
    place.map((at) => (bytes[at] ?? 0) ^ turned).join(".");
  // Teredo inverts all bits of its client's address.
  return [host, ...places.map((place) => read(place)), read([12, 13, 14, 15], 0xff)];
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":").map((group) => group.padStart(4, "0"));
}
