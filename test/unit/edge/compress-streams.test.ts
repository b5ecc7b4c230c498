import { constants, createGunzip } from "node:zlib";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { compressStreams } from "../../../functions/compress-streams.ts";

function served(body: BodyInit, headers: HeadersInit, encoding = "gzip"): Promise<Response> {
  const app = new Hono().use(compressStreams).get("/", () => new Response(body, { headers }));
  return Promise.resolve(app.request("/", { headers: { "accept-encoding": encoding } }));
}

test("an event that was written can be read before the next one is written", async () => {
  let write: (text: string) => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      write = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
  });
  const stream = await served(body, { "content-type": "text/event-stream; charset=utf-8" });
  expect(stream.headers.get("content-encoding")).toBe("gzip");
  const reader = stream.body?.getReader();
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  let read = "";
  let noticed = () => {};
  gunzip.on("data", (bytes: Buffer) => {
    read += bytes.toString();
    noticed();
  });
  const arrived = (text: string) =>
    new Promise<void>((resolve) => {
      noticed = () => {
        if (read.endsWith(text)) resolve();
      };
    });
  for (const text of ["data: one\n\n", ": ping\n\n", "data: two\n\n"]) {
    const there = arrived(text);
    write(text);
    gunzip.write((await reader?.read())?.value);
    await there;
  }
  expect(read).toBe("data: one\n\n: ping\n\ndata: two\n\n");
  await reader?.cancel();
});

test("a reader that leaves ends the stream it reads", async () => {
  let cancelled: unknown;
  const body = new ReadableStream<Uint8Array>({
    cancel: (reason) => {
      cancelled = reason;
    },
  });
  const stream = await served(body, { "content-type": "text/event-stream" });
  await stream.body?.cancel("gone");
  expect(cancelled).toBe("gone");
});

test.each(["br", "gzip;q=0", ""])(
  "a client that accepts %j gets the stream uncompressed",
  async (encoding) => {
    const stream = await served("data: one\n\n", { "content-type": "text/event-stream" }, encoding);
    expect(stream.headers.get("content-encoding")).toBeNull();
    expect(await stream.text()).toBe("data: one\n\n");
  },
);

test("an answer that is not an event stream, or already compressed, is left alone", async () => {
  expect((await served("{}", { "content-type": "application/json" })).headers.has("content-encoding")).toBe(
    false,
  );
  const done = { "content-type": "text/event-stream", "content-encoding": "br" };
  expect((await served("x", done)).headers.get("content-encoding")).toBe("br");
});
