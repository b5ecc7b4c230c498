// What may begin with three characters, and what a text that ends may be the beginning of: tables to look up. Pure.

/** What a table says of three characters: which trees have a text that begins so. */
export const atWord = 1;
export const inside = 2;
export const name = 4;

const tableSize = 1 << 18;

/** Of three characters, one after the other: what came before them is shifted out. */
export function hashed(before: number, code: number): number {
  return ((before << 6) ^ code) & 0x3ffff;
}

export function tableOf(looksOf: ReadonlyMap<string, number>): Uint8Array {
  const table = new Uint8Array(tableSize);
  const ascii = Array.from({ length: 128 }, (_, code) => code);
  for (const [text, look] of looksOf)
    for (const first of codesOf(text[0], look))
      for (const second of codesOf(text[1], look))
        for (const third of text[2] === undefined ? ascii : codesOf(text[2], look)) {
          const slot = hashed(hashed(first, second), third);
          table[slot] = (table[slot] ?? 0) | look;
        }
  return table;
}

/** What one or two characters at the end of a text may be the beginning of: at least that. */
export function endsOf(looksOf: ReadonlyMap<string, number>): Uint8Array {
  const ends = new Uint8Array(1 << 15);
  for (const [text, look] of looksOf)
    for (const first of codesOf(text[0], look))
      for (const second of [none, ...codesOf(text[1], look)]) {
        const slot = endSlot(first, second);
        ends[slot] = (ends[slot] ?? 0) | look;
      }
  return ends;
}

/** In place of a second character. */
export const none = 128;

export function endSlot(first: number, second: number): number {
  return ((first & 127) << 8) | (second === none ? none : second & 127);
}

function codesOf(char: string | undefined, look: number): number[] {
  if (char === undefined) return [];
  return look === name ? [char.charCodeAt(0), char.toUpperCase().charCodeAt(0)] : [char.charCodeAt(0)];
}
