// Ranges of IPv4 addresses, and the small subnets in one that are free. Pure.

/** As numbers of 32 bits; `last` belongs to it. */
export interface AddressSpan {
  first: number;
  last: number;
}

export interface AddressRange extends AddressSpan {
  /** As it was written. */
  text: string;
  /** Subnets that fit. */
  count: number;
}

/** A gateway, the guest, and the container in which an image is tried; two addresses mean something else. */
const subnetSize = 8;

/** `10.0.0.0/8`, and only where the address is the first of its range; undefined = it is none. */
export function rangeOf(text: string): AddressRange | undefined {
  const [, address = "", bits = ""] = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/.exec(text) ?? [];
  const parts = address.split(".").map(Number);
  if (parts.length !== 4 || Number(bits) > 32 || parts.some((part) => part > 255)) return undefined;
  const size = 2 ** (32 - Number(bits));
  const first = parts.reduce((sum, part) => sum * 256 + part, 0);
  if (first % size !== 0) return undefined;
  return { text, first, last: first + size - 1, count: Math.floor(size / subnetSize) };
}

/** Those of `range` that nobody uses. They begin at another place for each name: edges that choose at once seldom collide. */
export function* freeSubnets(range: AddressRange, used: readonly AddressSpan[], name: string) {
  const start = Array.from(name).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7);
  for (let step = 0; step < range.count; step += 1) {
    const first = range.first + ((start + step) % range.count) * subnetSize;
    if (used.some((span) => span.first < first + subnetSize && first <= span.last)) continue;
    const bytes = [24, 16, 8, 0].map((shift) => (first >>> shift) & 255);
    yield `${bytes.join(".")}/29`;
  }
}
