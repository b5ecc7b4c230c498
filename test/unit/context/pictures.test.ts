import { expect, test } from "vitest";
import { fitPrompt } from "../../../functions/compaction/fit-prompt.ts";
import { estimateMessage, pixelsOf } from "../../../functions/context/estimate.ts";
import type { UserMessage } from "../../../shared/message.ts";
import { HistoryBuilder } from "./history-builder.ts";

const base64 = (...bytes: (number | string)[]): string =>
  Buffer.concat(
    bytes.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from([part]))),
  ).toString("base64");

const be = (value: number, size: number): string =>
  Array.from({ length: size }, (_, n) => String.fromCharCode((value >> (8 * (size - 1 - n))) & 255)).join("");
const le = (value: number, size: number): string => [...be(value, size)].reverse().join("");
const png = (width: number, height: number): string =>
  base64("\x89PNG\r\n\x1a\n", be(13, 4), "IHDR", be(width, 4), be(height, 4), "\x08\x02", "\0".repeat(2_000));
const exif = `\xff\xe1${be(60_002, 2)}${"e".repeat(60_000)}`;

test.each([
  ["PNG", png(640, 480)],
  ["GIF", base64("GIF89a", le(640, 2), le(480, 2), "\0".repeat(40))],
  [
    "JPEG, after 60 KB of a camera's data",
    base64("\xff\xd8", exif, "\xff\xc0", be(17, 2), "\x08", be(480, 2), be(640, 2), "\0".repeat(9)),
  ],
  ["WebP, lossy", base64("RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a", le(640, 2), le(480, 2))],
  ["WebP, lossless", base64("RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f", le((479 << 14) | 639, 4), "\0".repeat(9))],
  ["WebP, extended", base64("RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0", le(639, 3), le(479, 3))],
])("the size of a %s is read from its header", (_, data) => {
  expect(pixelsOf(data)).toEqual({ width: 640, height: 480 });
});

test("a file that is not a picture, or only the beginning of one, has no size", () => {
  for (const data of [base64("plain text"), base64("\xff\xd8", "\xff\xe0\xff"), base64("\x89PNG"), "AAAA"])
    expect(pixelsOf(data)).toBeUndefined();
});

const withPicture = (data: string): UserMessage => ({
  ...{ id: "u", role: "user", content: "look", createdAt: 0, mode: "normal" },
  attachments: [{ kind: "image", name: "shot.png", mediaType: "image/png", data }],
});

test("a picture counts by its pixels, whatever its bytes", () => {
  const words = estimateMessage({ role: "user", content: "look" });
  const tokens = (data: string) => estimateMessage(withPicture(data)) - words;
  expect(tokens(png(750, 400))).toBe(400);
  expect(tokens(png(16, 16))).toBe(85);
  // Scaled to 1,568 on the longer side: 1,568 x 196 pixels.
  expect(tokens(png(6_272, 784))).toBe(Math.ceil((1_568 * 196) / 750));
  expect(tokens(png(8_000, 8_000))).toBe(1_600);
  expect(tokens(base64("unknown"))).toBe(1_100);
});

test("a too long prompt drops an answered picture and keeps its text; a picture still to be answered stays", () => {
  const builder = new HistoryBuilder();
  builder.messages.push(withPicture(png(1_200, 1_000)));
  for (let round = 0; round < 6; round += 1) builder.read(`src/${round}.ts`, 2_000);
  const asks = { ...withPicture(png(1_200, 1_000)), id: "last", content: "and this" };
  const { prompt } = fitPrompt([...builder.messages, asks], "system", 6_000);
  const said = prompt.filter((message) => message.role === "user");
  expect(said[0]).toMatchObject({
    content: "look\n[pictures shown before, and left out here: shot.png]",
  });
  expect(said[0]).not.toHaveProperty("attachments");
  expect(said.at(-1)).toMatchObject({ content: "and this", attachments: [{ name: "shot.png" }] });
  const roomy = fitPrompt([...builder.messages, asks], "system", 60_000);
  expect(roomy.prompt[1]).toHaveProperty("attachments");
});
