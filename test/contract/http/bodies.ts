import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ask, post } from "./request.ts";
import type { GetTarget } from "./target.ts";

const gzip = { "content-type": "application/json", "content-encoding": "gzip" };
const megabyte = 1024 * 1024;

function raw(body: BodyInit, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
}

export function describeBodies(target: GetTarget): void {
  describe("request bodies", () => {
    test.each([
      ["malformed JSON", "{", "JSON"],
      ["JSON that is no object", '"text"', "object"],
      ["an unknown field", '{"sorce":{"sample":true}}', '"sorce"'],
      ["an unknown field further in", '{"source":{"sample":true,"deep":1}}', '"deep"'],
      ["a value of the wrong kind", '{"source":{"git":1}}', "source.git"],
    ])("%s is invalid_request and names what was wrong", async (_, body, named) => {
      const { status, json } = await ask(target(), "/api/sandboxes", raw(body));
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error: { code: "invalid_request", message: expect.stringContaining(named), retryable: false },
      });
    });

    test("a refused turn names the field of the body at fault", async () => {
      const turn = { protocol: 1, turnId: "t", sandboxId: "s", mode: "fast", input: { type: "continue" } };
      const { status, json } = await ask(target(), "/api/turn", post(turn));
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error: { code: "invalid_request", message: expect.stringContaining("body.mode") },
      });
    });

    test("an unknown field deep inside is refused with its path", async () => {
      const meta = { round: 1, maxRounds: 12, contextTokens: 1, budgetTokens: 1, colour: "red" };
      const said = { id: "m1", role: "tool", content: "", createdAt: 1, mode: "normal" };
      const messages = [{ ...said, toolCallId: "c1", name: "read_file", ok: true, meta }];
      const turn = { protocol: 1, turnId: "t", sandboxId: "s", mode: "normal", input: { type: "continue" } };
      const { status, json } = await ask(target(), "/api/turn", post({ ...turn, messages }));
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error: { message: 'body.messages[0].meta: unknown field "colour"; leave it out.' },
      });
    });

    const levels = 1_500_000;
    const lists = "[".repeat(levels) + "]".repeat(levels);
    const objects = (count: number) => `${'{"a":'.repeat(count)}1${"}".repeat(count)}`;
    const turn = (field: string, value: string) =>
      `{"protocol":1,"turnId":"deep","sandboxId":"none","mode":"normal","input":{"type":"continue"},"${field}":${value}}`;
    test.each([
      ["lists to /api/sandboxes", "/api/sandboxes", lists],
      ["lists in a known field", "/api/sandboxes", `{"source":${lists}}`],
      ["objects in an unknown field", "/api/sandboxes", `{"sorce":${objects(1_000_000)}}`],
      ["lists to /api/turn", "/api/turn", lists],
      ["lists as the messages of a turn", "/api/turn", turn("messages", lists)],
      [
        "lists in the data of an event",
        "/api/turn",
        turn("messages", `[{"extra":{"event":{"data":${lists}}}}]`),
      ],
      ["objects as the plan of a turn", "/api/turn", turn("plan", objects(1_000_000))],
      ["lists to a restore", "/api/sandboxes/none/restore", `{"snapshot":${lists}}`],
      ["lists that are never closed", "/api/turn", "[".repeat(3_000_000)],
      ["one level too many", "/api/sandboxes", `{"source":${"[".repeat(100)}${"]".repeat(100)}}`],
    ])("%s, nested absurdly deep, are refused by name", async (_, path, body) => {
      const { status, json } = await ask(target(), path, raw(body));
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error: {
          code: "invalid_request",
          message: expect.stringMatching(/nested deeper than 100 levels|not valid JSON/),
          retryable: false,
        },
      });
    });

    test("a gzip body of a few KB that inflates to absurd depth is refused, and the server still answers", async () => {
      const { status } = await ask(target(), "/api/turn", raw(gzipSync(lists), gzip));
      expect(status).toBe(400);
      expect((await ask(target(), "/api/health")).status).toBe(200);
    });

    test("a hundred levels are accepted", async () => {
      const nested = `${"[".repeat(99)}${"]".repeat(99)}`;
      const { json } = await ask(target(), "/api/sandboxes", raw(`{"source":${nested}}`));
      expect(json).toMatchObject({ error: { message: expect.stringContaining("body.source") } });
    });

    test("bytes that are not UTF-8 are refused", async () => {
      const { status, json } = await ask(
        target(),
        "/api/sandboxes",
        raw(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])),
      );
      expect(status).toBe(400);
      expect(json).toMatchObject({ error: { message: expect.stringContaining("UTF-8") } });
    });

    test("a body over 8 MB is too_large", async () => {
      const { status, json } = await ask(
        target(),
        "/api/sandboxes",
        post({ source: "x".repeat(8 * megabyte) }),
      );
      expect(status).toBe(413);
      expect(json).toMatchObject({ error: { code: "too_large", message: expect.stringContaining("8 MB") } });
    });

    test("a body just under 8 MB is accepted", async () => {
      const { status } = await ask(
        target(),
        "/api/sandboxes",
        post({ source: "x".repeat(8 * megabyte - 100) }),
      );
      expect(status).toBe(400);
    });

    test("a body without a declared length is accepted, and too_large over 8 MB", async () => {
      // The types of fetch in some runtimes lack `duplex`, which Node requires for a stream.
      const streamed = (text: string) => Object.assign(raw(new Blob([text]).stream()), { duplex: "half" });
      const read = await ask(target(), "/api/sandboxes", streamed(`{"sorce":"${"ä".repeat(100_000)}"}`));
      expect(read.json).toMatchObject({ error: { message: expect.stringContaining('"sorce"') } });
      const { status } = await ask(target(), "/api/sandboxes", streamed("x".repeat(9 * megabyte)));
      expect(status).toBe(413);
    });

    test("a gzip body is inflated", async () => {
      const body = gzipSync('{"sorce":1}');
      const { status, json } = await ask(target(), "/api/sandboxes", raw(body, gzip));
      expect(status).toBe(400);
      expect(json).toMatchObject({ error: { message: expect.stringContaining('"sorce"') } });
    });

    test("a gzip body that inflates over 8 MB is too_large", async () => {
      const bomb = gzipSync(Buffer.alloc(64 * megabyte, 0x20));
      const { status, json } = await ask(target(), "/api/sandboxes", raw(bomb, gzip));
      expect(status).toBe(413);
      expect(json).toMatchObject({ error: { code: "too_large" } });
    });

    test("a truncated or invalid gzip body is invalid_request", async () => {
      const torn = gzipSync(JSON.stringify({ source: "x".repeat(1000) })).subarray(0, 30);
      for (const body of [torn, "not gzip"]) {
        const { status, json } = await ask(target(), "/api/sandboxes", raw(body, gzip));
        expect(status).toBe(400);
        expect(json).toMatchObject({ error: { code: "invalid_request" } });
      }
    });

    test("another encoding is refused by name", async () => {
      const { status, json } = await ask(target(), "/api/sandboxes", raw("{}", { "content-encoding": "br" }));
      expect(status).toBe(400);
      expect(json).toMatchObject({ error: { message: expect.stringContaining("Content-Encoding") } });
    });
  });
}
