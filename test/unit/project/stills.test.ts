import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { animatedWebp } from "../../stills/animated-webp.ts";

/** Name, offset and size of each chunk between two offsets, as the container's specification describes them. */
function chunks(file: Uint8Array, from: number, end: number): { name: string; at: number; size: number }[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const found: { name: string; at: number; size: number }[] = [];
  for (let at = from; at < end; ) {
    const size = view.getUint32(at + 4, true);
    found.push({ name: String.fromCharCode(...file.subarray(at, at + 4)), at: at + 8, size });
    at += 8 + size + (size % 2);
  }
  return found;
}

/** A picture with an odd number of bytes, so that it is padded. */
const still = Uint8Array.from([
  ...[...`RIFF\x10\0\0\0WEBPVP8 \x03\0\0\0`].map((letter) => letter.charCodeAt(0)),
  ...[7, 8, 9, 0],
]);

test("still pictures become one animation, each shown for its time", () => {
  const frames = [
    { webp: still, ms: 1_500 },
    { webp: still, ms: 70_000 },
  ];
  const film = animatedWebp(frames, 390, 844);
  const [riff] = chunks(film, 0, film.length);
  expect(riff).toEqual({ name: "RIFF", at: 8, size: film.length - 8 });
  const inside = chunks(film, 12, film.length);
  expect(inside.map(({ name }) => name)).toEqual(["VP8X", "ANIM", "ANMF", "ANMF"]);
  const u24 = (at: number) => (film[at] ?? 0) + 256 * (film[at + 1] ?? 0) + 65_536 * (film[at + 2] ?? 0);
  expect(inside.slice(2).map(({ at }) => [u24(at + 6) + 1, u24(at + 9) + 1, u24(at + 12)])).toEqual([
    [390, 844, 1_500],
    [390, 844, 70_000],
  ]);
  const [, , frame] = inside;
  const at = frame?.at ?? 0;
  expect(chunks(film, at + 16, at + (frame?.size ?? 0))).toEqual([{ name: "VP8 ", at: at + 24, size: 3 }]);
  expect(() => animatedWebp([{ webp: Uint8Array.of(1, 2, 3), ms: 1 }], 1, 1)).toThrow("no WebP file");
});

test("the animation in README.md is about twenty seconds long and small", () => {
  const film = readFileSync(fileURLToPath(new URL("../../../docs/images/session.webp", import.meta.url)));
  const frames = chunks(film, 12, film.length).filter(({ name }) => name === "ANMF");
  const ms = frames.map(({ at }) => film.readUIntLE(at + 12, 3));
  expect(ms.reduce((sum, one) => sum + one, 0)).toBe(20_000);
  expect(film.length).toBeLessThan(300_000);
});
