// Combines WebP pictures into an animated one. It knows only the container format, not the encoding of
// pictures. https://developers.google.com/speed/webp/docs/riff_container (read 2026-11)

export interface Frame {
  /** A complete WebP file of one picture. */
  webp: Uint8Array;
  ms: number;
}

/**
 * Every frame covers the whole picture, and the animation repeats forever. Throws if a frame is not a WebP
 * file.
 */
export function animatedWebp(frames: readonly Frame[], width: number, height: number): Uint8Array {
  const animation = 0b10;
  const head = chunk("VP8X", [animation, 0, 0, 0, ...u24(width - 1), ...u24(height - 1)]);
  const background = [255, 255, 255, 255];
  const loop = [0, 0];
  const parts = [head, chunk("ANIM", [...background, ...loop])];
  // The frame is neither blended nor disposed of, because the next one covers it.
  const withoutBlending = 0b10;
  for (const { webp, ms } of frames) {
    const place = [...u24(0), ...u24(0), ...u24(width - 1), ...u24(height - 1), ...u24(ms), withoutBlending];
    parts.push(chunk("ANMF", [...place, ...pictureIn(webp)]));
  }
  return chunk("RIFF", [...text("WEBP"), ...parts.flatMap((part) => [...part])]);
}

/** The chunks of the picture itself, without those of its container. */
function pictureIn(webp: Uint8Array): number[] {
  const view = new DataView(webp.buffer, webp.byteOffset, webp.byteLength);
  const name = (at: number) => String.fromCharCode(...webp.subarray(at, at + 4));
  if (webp.length < 12 || name(0) !== "RIFF" || name(8) !== "WEBP")
    throw new Error("a frame is no WebP file");
  const taken: number[] = [];
  for (let at = 12; at + 8 <= webp.length; ) {
    const size = view.getUint32(at + 4, true);
    const end = at + 8 + size + (size % 2);
    if (["ALPH", "VP8 ", "VP8L"].includes(name(at))) taken.push(...webp.subarray(at, end));
    at = end;
  }
  return taken;
}

function chunk(name: string, data: readonly number[]): Uint8Array {
  const { length } = data;
  const size = [length & 255, (length >> 8) & 255, (length >> 16) & 255, length >>> 24];
  return Uint8Array.from([...text(name), ...size, ...data, ...(length % 2 ? [0] : [])]);
}

const text = (word: string) => [...word].map((letter) => letter.charCodeAt(0));
const u24 = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255];
