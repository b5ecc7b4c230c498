// Streams that no provider should send: each ends with an answer or with one of our errors.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { streamCompletion } from "../../../functions/model/complete.ts";
import { HandrailError } from "../../../shared/errors.ts";
import { framedStream, splitAt } from "../../fakes/model-stream.ts";
import { runs } from "../../harness/runs.ts";
import { collect, endOf, patientDeps, requestTo } from "./complete-with.ts";

function fetchOf(parts: readonly Uint8Array[]): typeof fetch {
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
    return new Response(body);
  };
}

/** The end of the answer, or our error. Anything else fails the test. */
async function outcome(parts: readonly Uint8Array[]): Promise<unknown> {
  const stream = streamCompletion(
    { ...patientDeps, fetch: fetchOf(parts) },
    requestTo("http://fuzz.test/v1", { maxRetries: 0 }),
  );
  return collect(stream).then(endOf, (error: unknown) => {
    expect(error).toBeInstanceOf(HandrailError);
    return (error as HandrailError).code;
  });
}

const json = fc.jsonValue({ maxDepth: 4 });
const delta = fc.record(
  {
    content: fc.oneof(fc.string(), json),
    reasoning_content: fc.oneof(fc.string(), json),
    tool_calls: fc.oneof(
      json,
      fc.array(
        fc.record(
          {
            index: fc.oneof(fc.nat(3), json),
            id: fc.oneof(fc.constantFrom("a", "b", ""), json),
            function: fc.record(
              {
                name: fc.oneof(fc.constantFrom("read_file", "", "x"), json),
                arguments: fc.oneof(fc.string(), json),
              },
              { requiredKeys: [] },
            ),
          },
          { requiredKeys: [] },
        ),
      ),
    ),
  },
  { requiredKeys: [] },
);
const chunk = fc.oneof(
  json,
  fc.record({
    choices: fc.array(
      fc.record({
        index: fc.nat(1),
        delta,
        finish_reason: fc.constantFrom(null, "stop", "tool_calls", "weird"),
      }),
    ),
    usage: fc.oneof(fc.constant(null), json),
  }),
);
const lineEnd = fc.constantFrom("\n", "\r\n", "\r", "\n\n", "\r\n\r\n");

describe("fuzzed streams", () => {
  test("any chunks give an answer or an error of ours", { tags: "random" }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(chunk), lineEnd, fc.boolean(), async (chunks, end, done) => {
        const text =
          chunks.map((value) => `data: ${JSON.stringify(value)}${end}`).join("") +
          (done ? `data: [DONE]${end}` : "");
        await outcome([Buffer.from(text)]);
      }),
      { numRuns: runs(300, 30) },
    );
  });

  test("so do any bytes", { tags: "random" }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 60 })),
        async (parts) => void (await outcome(parts)),
      ),
      { numRuns: runs(300, 30) },
    );
  });

  test("a good stream cut anywhere and with one byte changed never gives a wrong call", {
    tags: "random",
  }, async () => {
    const calls = [{ id: "c", name: "write_file", args: { path: "a", content: 'ä🌍\n"}' } }];
    const bytes = framedStream({ text: "Grüße 🌍", calls }, "r");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length - 1)), fc.nat(bytes.length - 1), async (cuts, stop) => {
        const points = [...new Set(cuts)].filter((at) => at > 0).sort((a, b) => a - b);
        expect(await outcome(splitAt(bytes, points))).toMatchObject({
          text: "Grüße 🌍",
          finish: "tool_calls",
        });
        const early = await outcome([bytes.subarray(0, stop)]);
        if (typeof early === "object")
          expect(early).toMatchObject({
            calls: [{ name: "write_file", arguments: JSON.stringify(calls[0]?.args) }],
          });
      }),
      { numRuns: runs(300, 30) },
    );
  });
});
