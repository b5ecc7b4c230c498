// Recorded streams of real providers, replayed in every framing and cut: the same message every time.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type CompletionRequest, streamCompletion } from "../../functions/model/complete.ts";
import type { ModelEvent } from "../../functions/model/model-event.ts";
import { random, splitAt } from "../fakes/model-stream.ts";

const folder = process.env.HANDRAIL_STREAMS;
/** Streams up to this size are cut at every byte, longer ones at this many places. */
const cuts = 1_200;

type Json = Record<string, unknown>;

const framings: Record<string, (chunks: string[]) => string> = {
  LF: (chunks) => `${chunks.map((chunk) => `data: ${chunk}\n\n`).join("")}data: [DONE]\n\n`,
  CRLF: (chunks) => `${chunks.map((chunk) => `data: ${chunk}\r\n\r\n`).join("")}data: [DONE]\r\n\r\n`,
  "comments, no [DONE]": (chunks) =>
    chunks.map((chunk) => `: keep-alive\n\nevent: message\ndata:${chunk}\n\n`).join(""),
};

/** Answers with `parts` as they are: each is one read. */
function fetchOf(parts: Uint8Array[]): typeof fetch {
  return async () => {
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const part = parts[at];
        at += 1;
        if (part === undefined) controller.close();
        else controller.enqueue(part);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

async function replay(parts: Uint8Array[]): Promise<Extract<ModelEvent, { type: "end" | "usage" }>[]> {
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
  const never = (_ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  const last: Extract<ModelEvent, { type: "end" | "usage" }>[] = [];
  let text = "";
  for await (const event of streamCompletion(
    { fetch: fetchOf(parts), now: () => 0, sleep: never },
    request,
  )) {
    if (event.type === "text") text += event.delta;
    if (event.type === "usage" || event.type === "end") last.push(event);
  }
  const end = last.at(-1);
  expect(end?.type === "end" && end.text).toBe(text);
  return last;
}

/** Plain concatenation of the deltas' fields, read without the code under test. */
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
      "%s gives one message wherever it is cut",
      { timeout: 120_000 },
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
          const every = bytes.length <= cuts;
          for (let n = 0; n < Math.min(cuts, bytes.length - 1); n += bytes.length > 60_000 ? 40 : 1) {
            const at = every ? n + 1 : 1 + Math.floor(next() * (bytes.length - 1));
            expect(await replay(splitAt(bytes, [at]))).toEqual(whole);
          }
          const single = Array.from({ length: Math.min(bytes.length, 20_000) - 1 }, (_, at) => at + 1);
          expect(await replay(splitAt(bytes, single))).toEqual(whole);
        }
      },
    );
  },
);
