// Computes sizes of text in UTF-8 bytes without TextEncoder.

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x1_0000 ? 3 : 4;
}

/** The length of `text` in UTF-8 bytes; a lone surrogate counts as the replacement character. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const char of text) bytes += bytesOf(char.codePointAt(0) ?? 0);
  return bytes;
}

/** `text` without its first `count` bytes, and without the rest of a character that this cuts. */
export function skipUtf8Bytes(text: string, count: number): string {
  let bytes = 0;
  let index = 0;
  for (const char of text) {
    if (bytes >= count) break;
    bytes += bytesOf(char.codePointAt(0) ?? 0);
    index += char.length;
  }
  return text.slice(index);
}
