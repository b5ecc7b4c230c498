// Waiting for a model: how many retries, how long between them, how long it may be silent.
import { describe, expect, test } from "vitest";
import { type ReadBody, readAsItComes } from "../../../functions/model/body-reader.ts";
import { streamCompletion } from "../../../functions/model/complete.ts";
import type { ModelWait } from "../../../shared/event.ts";
import { startModelServer } from "../../fakes/model-server.ts";
import {
  collect,
  completeWith,
  endOf,
  patientDeps,
  providerAt,
  requestTo,
  standing,
} from "./complete-with.ts";

describe("retries", () => {
  test("a stream that breaks off is requested again and what came before is void", async () => {
    const { events, server } = await completeWith([
      { text: "the first answer", cut: 700 },
      { text: "the second" },
    ]);
    expect(server.requests).toHaveLength(2);
    expect(events.some((event) => event.type === "retry")).toBe(true);
    expect(endOf(events).text).toBe("the second");
    expect(
      standing(events)
        .flatMap((event) => (event.type === "text" ? event.delta : []))
        .join(""),
    ).toBe("the second");
  });

  test("429 and 500 are retried", async () => {
    const { events, server } = await completeWith([
      { status: 429, headers: { "retry-after": "1" } },
      { status: 500 },
      { text: "ok" },
    ]);
    expect(endOf(events).text).toBe("ok");
    expect(server.requests).toHaveLength(3);
  });

  test("the pause is as long as requested, and a little more that differs between clients", async () => {
    const pauses: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      const server = await startModelServer([
        { status: 429, headers: { "retry-after": "2" } },
        { status: 503 },
        { text: "ok" },
      ]);
      const pause = async (ms: number) => void pauses.push(ms);
      await collect(streamCompletion({ ...patientDeps, pause }, requestTo(server.url)));
      await server.close();
    }
    const asked = pauses.filter((ms) => ms >= 2_000);
    expect(asked).toHaveLength(3);
    expect(Math.max(...asked)).toBeLessThanOrEqual(3_000);
    expect(new Set(asked).size).toBeGreaterThan(1);
    expect(pauses.filter((ms) => ms < 2_000 && ms >= 500)).toHaveLength(3);
  });

  test("a provider that limits requests or is overloaded is retried for about a minute, and each wait is reported", async () => {
    for (const [status, why] of [
      [429, "limited"],
      [529, "busy"],
    ] as const) {
      const server = await startModelServer([{ status }]);
      const waits: ModelWait[] = [];
      const request = requestTo(server.url, { waits: (wait) => void waits.push(wait) });
      await expect(collect(streamCompletion(patientDeps, request))).rejects.toMatchObject({
        retryable: true,
      });
      const told = waits.flatMap(({ at, until, why }) =>
        until === undefined ? [] : [{ ms: until - at, why }],
      );
      const waitedMs = told.reduce((sum, { ms }) => sum + ms, 0);
      expect(waitedMs).toBeGreaterThan(44_000);
      expect(waitedMs).toBeLessThan(76_000);
      expect(new Set(told.map((wait) => wait.why))).toEqual(new Set([why]));
      // Each request waits once, and so does each pause between them.
      expect(waits).toHaveLength(server.requests.length + told.length);
      await server.close();
    }
  });

  test("a pause longer than the rest of that minute ends it at once", async () => {
    const pauses: number[] = [];
    const server = await startModelServer([{ status: 429, headers: { "retry-after": "35" } }]);
    const pause = async (ms: number) => void pauses.push(ms);
    const asked = collect(streamCompletion({ ...patientDeps, pause }, requestTo(server.url)));
    await expect(asked).rejects.toMatchObject({ code: "rate_limited", details: { retryAfterMs: 35_000 } });
    expect(pauses).toHaveLength(1);
    await server.close();
  });

  test.each([
    ["Gemini's field", { error: { code: 429, message: "x", details: [{ retryDelay: "31.5s" }] } }],
    ["OpenRouter's field", { error: { code: 429, message: "x", metadata: { retry_after_seconds: 31.5 } } }],
    ["words of seconds", { error: { message: "Rate limit. Please retry after 31.5 seconds." } }],
    ["words of a reset", { error: { message: "Your quota will reset after 31.5s." } }],
  ])("the pause is read in %s", async (_, body) => {
    await expect(completeWith([{ status: 429, body }], { maxRetries: 0 })).rejects.toMatchObject({
      details: { retryAfterMs: 31_500 },
    });
  });

  test("a lasting 429 becomes rate_limited", async () => {
    await expect(completeWith([{ status: 429 }])).rejects.toMatchObject({
      code: "rate_limited",
      retryable: true,
    });
  });

  test("a pause longer than a turn can wait ends it at once", async () => {
    const script = [{ status: 429, headers: { "retry-after": "3600" } }, { text: "too late" }];
    await expect(completeWith(script)).rejects.toMatchObject({
      code: "rate_limited",
      details: { retryAfterMs: 3_600_000 },
    });
  });

  test("a stream that always breaks off becomes a retryable model_error", async () => {
    await expect(completeWith([{ text: "never whole", cut: 500 }])).rejects.toMatchObject({
      code: "model_error",
      retryable: true,
    });
  });
});

/** A clock on which every pause ends at once, as soon as `ready` resolves. */
function hastyClock(ready: Promise<unknown>) {
  let nowMs = 0;
  const sleep = async (ms: number, signal: AbortSignal) => {
    await ready;
    if (!signal.aborted) nowMs += ms;
  };
  return { now: () => 0, elapsed: () => nowMs, sleep };
}

describe("silence", () => {
  test("before the first token a model may think for as long as configured", async () => {
    const server = await startModelServer([{ hang: true }]);
    const provider = providerAt(server.url, { waitSeconds: 900 });
    const clock = hastyClock(server.request(1));
    const stream = streamCompletion({ fetch, ...clock }, requestTo(server.url, { provider }));
    await expect(collect(stream)).rejects.toThrow("sent nothing for 900 seconds");
    await server.close();
  });

  test("an answer that has started without a token, as Responses do, is waited for as long", async () => {
    const chunks = [{ type: "response.created", response: { status: "in_progress" } }];
    const server = await startModelServer([{ chunks, stall: true }]);
    const provider = providerAt(server.url, { waitSeconds: 900, wire: "responses" });
    let begins: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begins = resolve;
    });
    const readBody: ReadBody = (body) => {
      const reader = readAsItComes(body);
      let reads = 0;
      const read = () => {
        reads += 1;
        if (reads === 2) begins();
        return reader.read();
      };
      return { ...reader, read };
    };
    const stream = streamCompletion(
      { fetch, ...hastyClock(begun), readBody },
      requestTo(server.url, { provider }),
    );
    await expect(collect(stream)).rejects.toThrow("sent nothing for 900 seconds");
    await server.close();
  });

  test("after the first token, three minutes are the maximum", async () => {
    const server = await startModelServer([{ text: "one", stall: true }]);
    const provider = providerAt(server.url, { waitSeconds: 900 });
    let begins: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begins = resolve;
    });
    const request = requestTo(server.url, { provider, say: () => begins() });
    const stream = streamCompletion({ fetch, ...hastyClock(begun) }, request);
    await expect(collect(stream)).rejects.toThrow("sent nothing for 180 seconds");
    await server.close();
  });
});
