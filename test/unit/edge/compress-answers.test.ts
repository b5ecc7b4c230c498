import { constants, createGunzip } from "node:zlib";
import { expect, test } from "vitest";
import { compressed } from "../../../functions/compress-answers.ts";

const asks = (encoding = "gzip") => new Request("http://x/", { headers: { "accept-encoding": encoding } });
const json = (text: string) => new Response(text, { headers: { "content-type": "application/json" } });

test("an event that was written can be read before the next one is written", async () => {
  let write: (text: string) => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      write = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
  });
  const answer = new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
  const stream = compressed(asks(), answer);
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

test("a reader that goes away ends the stream behind it", async () => {
  let stream: Response | undefined;
  const cancelled = new Promise((resolve) => {
    const body = new ReadableStream<Uint8Array>({ cancel: resolve });
    stream = compressed(asks(), new Response(body, { headers: { "content-type": "text/event-stream" } }));
  });
  await stream?.body?.cancel("gone");
  expect(await cancelled).toBe("gone");
});

test("what is compressed already, is no text, or is not asked for stays as it is", () => {
  const image = new Response("x", { headers: { "content-type": "image/png" } });
  expect(compressed(asks(), image)).toBe(image);
  const done = new Response("x", { headers: { "content-type": "text/css", "content-encoding": "gzip" } });
  expect(compressed(asks(), done)).toBe(done);
  const answer = json("{}");
  expect(compressed(asks("br"), answer)).toBe(answer);
  expect(compressed(asks("gzip;q=0"), answer)).toBe(answer);
  expect(compressed(asks("br, gzip"), answer).headers.get("content-encoding")).toBe("gzip");
});
