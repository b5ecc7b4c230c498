// How a request's body is read: its end, its size, its encoding.
import { Hono } from "hono";
import { afterEach, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { collect } from "../../../functions/gzip.ts";
import { maxBodyBytes, maxDrainedBytes } from "../../../functions/limits.ts";
import { readJson } from "../../../functions/routes/read-json.ts";
import { HandrailError } from "../../../shared/errors.ts";

afterEach(() => vi.unstubAllGlobals());

const app = new Hono().post("/", async (c) =>
  c.json(await readJson(c, z.object({ a: z.optional(z.string()) }))),
);
app.onError((error, c) => c.json({ error: error instanceof HandrailError ? error.message : "internal" }));

const bytes = (text: string) => new TextEncoder().encode(text);
/** A body without a declared length. After the chunks it breaks, if `breaks`. */
function streamed(chunks: readonly Uint8Array[], breaks = false): ReadableStream {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next) controller.enqueue(next);
      else if (breaks) controller.error(new Error("cut"));
      else controller.close();
    },
  });
}
async function said(body: BodyInit | null, headers: Record<string, string> = {}): Promise<unknown> {
  const request = new Request("http://localhost/", { method: "POST", body, headers, ...{ duplex: "half" } });
  return (await app.request(request)).json();
}
const megabyte = new Uint8Array(2 ** 20).fill(0x20);
const large = Array.from({ length: maxBodyBytes / megabyte.length + 1 }, () => megabyte);
const tooLarge = { error: expect.stringContaining("over 8 MB") };

test.each([
  ["no body", null],
  ["an empty body", ""],
  ["blanks alone", " \n"],
  ["no chunk", streamed([])],
])("%s counts as an empty object, compressed or not", async (_, body) => {
  if (!(body instanceof ReadableStream)) {
    const length = { "content-length": String(body?.length ?? 0) };
    expect([await said(body), await said(body, length)]).toEqual([{}, {}]);
  }
  if (body !== " \n")
    expect(await said(body, { "content-encoding": "gzip", "content-length": "0" })).toEqual({});
});

test("a character that is cut in two by chunks is one, and one without its end is refused", async () => {
  const whole = bytes('{"a":"é"}');
  expect(await said(streamed([whole.slice(0, 7), whole.slice(7)]))).toEqual({ a: "é" });
  const refused = { error: expect.stringContaining("not valid UTF-8") };
  for (const tail of [[0xc3], [0xff, 0x20]]) {
    const body = new Uint8Array([...bytes("{}"), ...tail]);
    expect([await said(body), await said(streamed([body]))]).toEqual([refused, refused]);
  }
});

test("a body that breaks off is not read as a whole one, whether its length was declared or not", async () => {
  const cut = { error: expect.stringContaining("could not be read to its end") };
  for (const headers of [{}, { "content-length": "2" }, { "content-encoding": "gzip" }])
    expect(await said(streamed([bytes("{}")], true), headers)).toEqual(cut);
});

test("a body over the limit is refused, whatever length is declared", async () => {
  expect(await said(streamed(large))).toEqual(tooLarge);
  const length = String(large.length * megabyte.length);
  expect(await said(streamed(large), { "content-length": length })).toEqual(tooLarge);
  // Hosts do not enforce a length beside this header.
  expect(await said(streamed(large), { "content-length": "2", "transfer-encoding": "chunked" })).toEqual(
    tooLarge,
  );
});

test("of what is too large, as much is read as lets the client see the answer, and no more", async () => {
  let read = 0;
  const endless = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        if (++read > 200) throw new Error("still read");
        controller.enqueue(megabyte);
      },
    });
  const most = (maxBodyBytes + maxDrainedBytes) / megabyte.length;
  await expect(collect(endless(), maxDrainedBytes)).rejects.toMatchObject({ code: "too_large" });
  expect([read >= most, read <= most + 2]).toEqual([true, true]);
  read = 0;
  expect(await said(endless())).toEqual(tooLarge);
  expect([read >= most, read <= most + 5]).toEqual([true, true]);
});

test("a small body that inflates without end is inflated only up to the limit", async () => {
  let inflated = 0;
  class Bomb extends TransformStream {
    constructor() {
      super({
        transform: (_, controller) => {
          for (let n = 0; n < 100; n += 1) controller.enqueue(megabyte);
        },
      });
      const { readable } = this;
      Object.defineProperty(this, "readable", {
        value: readable.pipeThrough(
          new TransformStream({
            transform: (chunk, controller) => {
              inflated += 1;
              controller.enqueue(chunk);
            },
          }),
        ),
      });
    }
  }
  vi.stubGlobal("DecompressionStream", Bomb);
  expect(await said("x", { "content-encoding": "gzip" })).toEqual(tooLarge);
  expect(inflated).toBeLessThan(large.length + 5);
});

test("only gzip is understood", async () => {
  expect(await said("{}", { "content-encoding": "br" })).toEqual({
    error: expect.stringContaining("only gzip"),
  });
  expect(await said("{}", { "content-encoding": "identity" })).toEqual({});
});
