// How large a picture is, read from the first bytes of its file. Knows PNG, JPEG, GIF and WebP.

export interface Pixels {
  width: number;
  height: number;
}

/** Segments of a JPEG that are looked at before its size: a camera writes about ten. */
const maxSegments = 100;

/** Undefined where `base64` is none of the known formats, or is cut off before the size. */
export function pixelsOf(base64: string): Pixels | undefined {
  const head = bytesAt(base64, 0, 30);
  const text = String.fromCharCode(...head);
  if (text.startsWith("\x89PNG")) return sized(be(head, 16, 4), be(head, 20, 4));
  if (text.startsWith("GIF8")) return sized(le(head, 6, 2), le(head, 8, 2));
  if (text.startsWith("\xff\xd8")) return ofJpeg(base64);
  return text.startsWith("RIFF") && text.slice(8, 12) === "WEBP"
    ? ofWebp(head, text.slice(12, 16))
    : undefined;
}

/** https://developers.google.com/speed/webp/docs/riff_container: lossy, lossless and extended files. */
function ofWebp(head: readonly number[], kind: string): Pixels | undefined {
  if (kind === "VP8 ") return sized(le(head, 26, 2) & 0x3fff, le(head, 28, 2) & 0x3fff);
  if (kind === "VP8X") return sized(le(head, 24, 3) + 1, le(head, 27, 3) + 1);
  if (kind !== "VP8L") return undefined;
  const bits = le(head, 21, 4);
  return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

/** The size is in the first frame header (ITU T.81, B.2.2); what comes before it is skipped by its length. */
function ofJpeg(base64: string): Pixels | undefined {
  let at = 2;
  for (let segment = 0; segment < maxSegments; segment += 1) {
    const bytes = bytesAt(base64, at, 9);
    const marker = bytes[1] ?? 0;
    if (bytes.length < 9 || bytes[0] !== 0xff) return undefined;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return sized(be(bytes, 7, 2), be(bytes, 5, 2));
    at += 2 + be(bytes, 2, 2);
  }
  return undefined;
}

function sized(width: number, height: number): Pixels | undefined {
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Only these bytes are decoded: pictures have megabytes. */
function bytesAt(base64: string, from: number, count: number): number[] {
  const first = Math.floor(from / 3);
  const part = base64.slice(first * 4, Math.ceil((from + count) / 3) * 4);
  const bytes = Array.from(atob(part), (char) => char.charCodeAt(0));
  return bytes.slice(from - first * 3, from - first * 3 + count);
}

function be(bytes: readonly number[], at: number, count: number): number {
  return bytes.slice(at, at + count).reduce((value, byte) => value * 256 + byte, 0);
}

function le(bytes: readonly number[], at: number, count: number): number {
  return be(bytes.slice(at, at + count).reverse(), 0, count);
}
