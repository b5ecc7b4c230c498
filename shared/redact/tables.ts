// Lookup tables: which triggers may begin with three characters, and whether the end of a text may begin one. Pure.

/** The bits of a table entry: which kinds of trigger begin with these three characters. */
export const atWord = 1;
export const inside = 2;
export const name = 4;

const tableSize = 1 << 18;

/** A hash of three characters, built by adding one after the other; earlier ones are shifted out. */
export function hashed(before: number, code: number): number {
  return ((before << 6) ^ code) & 0x3ffff;
}

export function tableOf(looksOf: ReadonlyMap<string, number>): Uint8Array {
  const table = new Uint8Array(tableSize);
  const ascii = Array.from({ length: 128 }, (_, code) => code);
  for (const [text, look] of looksOf)
    for (const first of codesOf(text, 0, look))
      for (const second of codesOf(text, 1, look))
        for (const third of text.length < 3 ? ascii : codesOf(text, 2, look)) {
          const slot = hashed(hashed(first, second), third);
          table[slot] = (table[slot] ?? 0) | look;
        }
  return table;
}

/** The kinds of trigger that one or two characters at the end of a text may begin. Collisions can only add kinds. */
export function endsOf(looksOf: ReadonlyMap<string, number>): Uint8Array {
  const ends = new Uint8Array(1 << 14);
  for (const [text, look] of looksOf)
    for (const first of codesOf(text, 0, look))
      for (const second of [none, ...codesOf(text, 1, look)]) {
        const slot = endSlot(first, second);
        ends[slot] = (ends[slot] ?? 0) | look;
      }
  return ends;
}

/** The code for a missing second character; no trigger contains it. */
export const none = 0;

export function endSlot(first: number, second: number): number {
  return ((first & 127) << 7) | (second & 127);
}

function codesOf(text: string, at: number, look: number): number[] {
  return (look === name ? [text, text.toUpperCase()] : [text]).map((given) => given.charCodeAt(at));
}
