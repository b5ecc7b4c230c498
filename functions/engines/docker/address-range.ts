// Ranges of IPv4 addresses, and the free small subnets within one. Pure.

/** Addresses as numbers of 32 bits. `last` is included. */
export interface AddressSpan {
  first: number;
  last: number;
}

export interface AddressRange extends AddressSpan {
  /** The range as it was written. */
  text: string;
  /** How many subnets fit. */
  count: number;
}

/**
 * Room for a gateway, the guest, and the container that tries an image. The network and broadcast addresses
 * take two more.
 */
const subnetSize = 8;

/** Parses `10.0.0.0/8`; the address must be the first of its range. undefined = the text is not a range. */
export function rangeOf(text: string): AddressRange | undefined {
  const [, address = "", bits = ""] = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/.exec(text) ?? [];
  const parts = address.split(".").map(Number);
  if (parts.length !== 4 || Number(bits) > 32 || parts.some((part) => part > 255)) return undefined;
  const size = 2 ** (32 - Number(bits));
  const first = parts.reduce((sum, part) => sum * 256 + part, 0);
  if (first % size !== 0) return undefined;
  return { text, first, last: first + size - 1, count: Math.floor(size / subnetSize) };
}

/**
 * The unused subnets of `range`. The first one depends on the name, so that edges that choose at the same
 * time rarely collide.
 */
export function* freeSubnets(range: AddressRange, used: readonly AddressSpan[], name: string) {
  const start = Array.from(name).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7);
  for (let step = 0; step < range.count; step += 1) {
    const first = range.first + ((start + step) % range.count) * subnetSize;
    if (used.some((span) => span.first < first + subnetSize && first <= span.last)) continue;
    const bytes = [24, 16, 8, 0].map((shift) => (first >>> shift) & 255);
    yield `${bytes.join(".")}/29`;
  }
}
