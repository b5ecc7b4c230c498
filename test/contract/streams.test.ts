// Recorded streams of real providers, replayed with every framing and cut: the message is always the same.
// @module-tag long
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ModelAnswer } from "../../functions/model/answer.ts";
import { ChunkReader } from "../../functions/model/chunk-reader.ts";
import { type CompletionRequest, streamCompletion } from "../../functions/model/complete.ts";
import type { ModelEvent } from "../../functions/model/model-event.ts";
import { readTextCalls } from "../../functions/model/text-calls/text-form.ts";
import { readChunk } from "../../functions/model/wires/chunk-fields.ts";
import { random, splitAt } from "../fakes/model-stream.ts";
import { spread } from "../harness/runs.ts";

const folder = process.env.HANDRAIL_STREAMS;
/**
 * Streams up to this size are cut at every byte. Longer ones are cut at a number of random places, chosen by
 * a seed.
 */
const everyByteUpTo = 20_000;
const cutsOf = (bytes: number) => (bytes > 60_000 ? 200 : 1_000);
/** How many of the cuts are read from a whole response and not only from its bytes. */
const wholeWay = 40;

type Json = Record<string, unknown>;

const framings: Record<string, (chunks: string[]) => string> = {
  LF: (chunks) => `${chunks.map((chunk) => `data: ${chunk}\n\n`).join("")}data: [DONE]\n\n`,
  CRLF: (chunks) => `${chunks.map((chunk) => `data: ${chunk}\r\n\r\n`).join("")}data: [DONE]\r\n\r\n`,
  "comments, no [DONE]": (chunks) =>
    chunks.map((chunk) => `: keep-alive\n\nevent: message\ndata:${chunk}\n\n`).join(""),
};

/** Answers with `parts` unchanged. Each part is one read, unless the reader takes bytes as they come. */
function fetchOf(parts: Uint8Array[], type?: "bytes"): typeof fetch {
  return async () => {
    let at = 0;
    const pull = (controller: ReadableByteStreamController | ReadableStreamDefaultController<Uint8Array>) => {
      const part = parts[at];
      at += 1;
      // A byte stream takes ownership of its chunks.
      if (part === undefined) {
        controller.close();
        // A read that brings its own buffer has to be answered by hand.
        if ("byobRequest" in controller) controller.byobRequest?.respond(0);
      } else controller.enqueue(new Uint8Array(part));
    };
    const body =
      type === "bytes"
        ? new ReadableStream({ type, pull: (controller) => pull(controller) })
        : new ReadableStream<Uint8Array>({ pull: (controller) => pull(controller) });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

type Last = Extract<ModelEvent, { type: "end" | "usage" }>;

/** The message at the end of `events`. Their deltas must add up to the same text. */
function lastOf(events: readonly ModelEvent[]): Last[] {
  const last = events.filter((event): event is Last => event.type === "usage" || event.type === "end");
  const end = last.at(-1);
  const text = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
  expect(end?.type === "end" && end.text).toBe(text);
  return last;
}

/** From bytes to events, without a response. */
function fold(parts: readonly Uint8Array[]): Last[] {
  const reader = new ChunkReader();
  const known = new Set(["weather"]);
  const answer = new ModelAnswer(known, readTextCalls(known, { fences: false }), readChunk);
  const events = parts.flatMap((part) => answer.push(reader.push(part)));
  events.push(...answer.push(reader.finish()), ...answer.finish());
  expect(reader.broken).toBe(false);
  return lastOf(events);
}

async function replay(parts: Uint8Array[], type?: "bytes"): Promise<Last[]> {
  const request: CompletionRequest = {
    provider: {
      id: "default",
      label: "Recorded",
      baseUrl: "http://recorded.test/v1",
      models: [],
      demo: false,
    },
    modelId: "m",
    messages: [{ role: "user", content: "hi" }],
    tools: [{ name: "weather", description: "", parameters: { type: "object" } }],
    toolProtocol: "native",
    signal: new AbortController().signal,
    maxRetries: 0,
  };
  // Pauses between reads are skipped. The watch for silence never fires.
  const sleep = (ms: number, signal: AbortSignal) =>
    ms < 1_000
      ? Promise.resolve()
      : new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  const events: ModelEvent[] = [];
  for await (const event of streamCompletion(
    { fetch: fetchOf(parts, type), now: () => 0, elapsed: () => 0, sleep },
    request,
  ))
    events.push(event);
  return lastOf(events);
}

/** Concatenates the deltas' fields without the code under test. */
function plain(chunks: Json[], ...fields: string[]): string {
  return chunks
    .flatMap((chunk) => (chunk.choices as { delta?: Json }[]) ?? [])
    .map(
      ({ delta }) =>
        fields.map((field) => delta?.[field]).find((value) => typeof value === "string" && value !== "") ??
        "",
    )
    .join("");
}

const files = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

describe.skipIf(folder === undefined)(
  "recorded streams (skipped unless HANDRAIL_STREAMS names their folder)",
  () => {
    test.each(files.length === 0 ? ["none"] : files)(
      "%s gives the same message wherever it is cut",
      { tags: "seeds" },
      async (name) => {
        const lines = readFileSync(join(folder ?? "", name), "utf8")
          .trim()
          .split("\n");
        const chunks = lines.map((line) => JSON.parse(line) as Json);
        const whole = await replay([Buffer.from(framings.LF?.(lines) ?? "")]);
        const end = whole.at(-1);
        if (end?.type !== "end") throw new Error("no end");
        expect(end.text).toBe(plain(chunks, "content"));
        expect(end.reasoning).toBe(plain(chunks, "reasoning_content", "reasoning"));
        expect(whole.some((event) => event.type === "usage")).toBe(
          lines.some((line) => /"usage":\{/.test(line)),
        );
        expect(end.calls).toHaveLength(name.includes("tool-call") ? 1 : 0);
        for (const call of end.calls) {
          expect(call.id).not.toBe("");
          expect(call.name).toBe("weather");
          expect(Object.keys(JSON.parse(call.arguments))).not.toHaveLength(0);
        }

        const next = random(7);
        for (const frame of Object.values(framings)) {
          const bytes = Buffer.from(frame(lines));
          const places =
            bytes.length <= everyByteUpTo
              ? Array.from({ length: bytes.length - 1 }, (_, at) => at + 1)
              : Array.from(
                  { length: cutsOf(bytes.length) },
                  () => 1 + Math.floor(next() * (bytes.length - 1)),
                );
          const expected = JSON.stringify(whole);
          for (const at of spread(places, 300, 1_000)) {
            const cut = JSON.stringify(fold(splitAt(bytes, [at])));
            if (cut !== expected) expect([at, JSON.parse(cut)]).toEqual([at, whole]);
          }
          for (let n = 0; n < wholeWay; n += 1) {
            const at = places[Math.floor(next() * places.length)] ?? 1;
            expect(await replay(splitAt(bytes, [at]), n % 2 === 0 ? "bytes" : undefined)).toEqual(whole);
          }
          const single = Array.from({ length: Math.min(bytes.length, 20_000) - 1 }, (_, at) => at + 1);
          expect(await replay(splitAt(bytes, single))).toEqual(whole);
        }
      },
    );
  },
);
