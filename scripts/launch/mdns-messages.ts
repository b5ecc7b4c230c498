// The two messages of multicast DNS for a name: parses questions and writes answers. Pure. RFC 6762 (multicast DNS),
// RFC 1035 section 4 (messages).

export interface MdnsQuestion {
  id: number;
  /** In lower case, without a final dot. */
  names: string[];
}

/** The addresses in a response, by name. */
export type MdnsAddresses = { name: string; address: string }[];

const types = { a: 1, nsec: 47, any: 255, aaaa: 28 } as const;
const internet = 1;
/** In an answer, this bit says that it replaces cached records; in a question, that a unicast answer is enough. */
const topBit = 0x8000;
const isResponse = 0x8400;

/** The question of a query; undefined if the message is not a query or cannot be parsed. */
export function readQuery(message: Uint8Array): MdnsQuestion | undefined {
  try {
    const { view, at, questions, flags } = header(message);
    if ((flags & topBit) !== 0) return undefined;
    const names: string[] = [];
    let next = at;
    for (let left = questions; left > 0; left -= 1) {
      const { name, end } = readName(message, next);
      const type = view.getUint16(end);
      if ([types.a, types.aaaa, types.any].some((one) => one === type)) names.push(name);
      next = end + 4;
    }
    return { id: view.getUint16(0), names };
  } catch {
    return undefined;
  }
}

/** The addresses in a response; empty for any other message. */
export function readAnswer(message: Uint8Array): MdnsAddresses {
  try {
    const { view, at, questions, answers, flags } = header(message);
    if ((flags & topBit) === 0) return [];
    let next = at;
    for (let left = questions; left > 0; left -= 1) next = readName(message, next).end + 4;
    const found: MdnsAddresses = [];
    for (let left = answers; left > 0; left -= 1) {
      const { name, end } = readName(message, next);
      const size = view.getUint16(end + 8);
      const data = message.subarray(end + 10, end + 10 + size);
      if (view.getUint16(end) === types.a && size === 4) found.push({ name, address: data.join(".") });
      next = end + 10 + size;
    }
    return found;
  } catch {
    return [];
  }
}

export function query(name: string): Uint8Array {
  return Uint8Array.from([...u16(0, 0, 1, 0, 0, 0), ...writeName(name), ...u16(types.any, internet)]);
}

/**
 * `seconds`: how long to cache the answer; 0 = the name is gone. `to`: the id of a query from a plain DNS program,
 * whose question is repeated (RFC 6762 section 6.7).
 */
export function answer(name: string, addresses: readonly string[], seconds: number, to?: number): Uint8Array {
  const own = writeName(name);
  const kind = to === undefined ? internet | topBit : internet;
  const record = (type: number, data: readonly number[]) => [
    ...own,
    ...u16(type, kind, seconds >>> 16, seconds & 0xffff, data.length),
    ...data,
  ];
  const records = addresses.map((address) => record(types.a, address.split(".").map(Number)));
  // Says that there are no other types, so that a client that asks for an IPv6 address need not wait for one.
  const bitmap = [0, 1, 0b0100_0000];
  records.push(record(types.nsec, [...own, ...bitmap]));
  const question = to === undefined ? [] : [...own, ...u16(types.a, internet)];
  const counts = u16(to ?? 0, isResponse, to === undefined ? 0 : 1, records.length, 0, 0);
  return Uint8Array.from([...counts, ...question, ...records.flat()]);
}

function header(message: Uint8Array) {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const [flags, questions, answers] = [view.getUint16(2), view.getUint16(4), view.getUint16(6)];
  return { view, at: 12, flags, questions, answers };
}

/** `end`: the offset after the name, at its original place. Throws if the name does not end. */
function readName(message: Uint8Array, begin: number): { name: string; end: number } {
  const labels: string[] = [];
  let end: number | undefined;
  let at = begin;
  for (let jumps = 0; ; ) {
    const length = message[at];
    if (length === undefined || jumps > 32 || labels.length > 128) throw new RangeError("no name");
    if (length === 0) return { name: labels.join(".").toLowerCase(), end: end ?? at + 1 };
    if (length >= 0xc0) {
      end ??= at + 2;
      at = ((length & 0x3f) << 8) | (message[at + 1] ?? 0);
      jumps += 1;
    } else {
      labels.push(new TextDecoder().decode(message.subarray(at + 1, at + 1 + length)));
      at += 1 + length;
    }
  }
}

function writeName(name: string): number[] {
  const labels = name.split(".").map((label) => [...new TextEncoder().encode(label)]);
  return [...labels.flatMap((label) => [label.length, ...label]), 0];
}

const u16 = (...values: number[]) => values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff]);
