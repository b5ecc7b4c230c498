// Answers whose body neither ends nor fails when their request is aborted. On Node 20 this happens to a
// compressed body if the abort comes while its last bytes are decompressed. Here the body ignores every
// abort.
import { expect, test } from "vitest";
import { streamCompletion } from "../../../functions/model/complete.ts";
import { createSandboxClient } from "../../../functions/sandbox/client.ts";
import { patientDeps, requestTo } from "../model/complete-with.ts";

/** A fetch that answers with `text`, and then neither continues nor ends. */
function deaf(text: string): typeof fetch {
  return async () => new Response(new Blob([text]).stream().pipeThrough(neverEnding()));
}

function neverEnding(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({ flush: () => new Promise(() => undefined) });
}

test("a stop ends the reading of a model's answer", async () => {
  const stop = new AbortController();
  const piece = 'data: {"choices":[{"index":0,"delta":{"content":"Half an ans"}}]}\n\n';
  const request = requestTo("http://127.0.0.1:9/v1", { signal: stop.signal });
  const heard: string[] = [];
  for await (const { type } of streamCompletion({ ...patientDeps, fetch: deaf(piece) }, request)) {
    heard.push(type);
    setImmediate(() => stop.abort());
  }
  expect(heard).toEqual(["text"]);
});

test("a follower that leaves ends the reading of a journal", async () => {
  const left = new AbortController();
  const client = createSandboxClient({
    fetch: deaf('{"type":"ping"}\n'),
    baseUrl: "http://127.0.0.1:9",
    token: "t",
  });
  const heard: string[] = [];
  const reading = async () => {
    for await (const { type } of client.journal("main", "t1", 0, 20_000, left.signal)) {
      heard.push(type);
      setImmediate(() => left.abort());
    }
  };
  await expect(reading()).rejects.toMatchObject({ name: "AbortError" });
  expect(heard).toEqual(["ping"]);
});

test("a sandbox server that stops sending is unreachable", async () => {
  const client = createSandboxClient({
    fetch: deaf('{"type":"ping"}\n'),
    baseUrl: "http://127.0.0.1:9",
    token: "t",
    silenceMs: 20,
  });
  const reading = async () => {
    for await (const line of client.journal("main", "t1", 0, 20_000)) expect(line.type).toBe("ping");
  };
  await expect(reading()).rejects.toMatchObject({ code: "sandbox_unreachable" });
});
