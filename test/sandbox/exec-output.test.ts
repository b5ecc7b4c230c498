// A command's output: chunks cut anywhere, bytes that are not text, and more than fits.
import fc from "fast-check";
import { expect, test } from "vitest";
import { PlainPieces, stripAnsi } from "../../sandbox/exec/ansi.ts";
import { LiveOutputSender } from "../../sandbox/exec/live-output.ts";
import { OutputCollector, shareOutput } from "../../sandbox/exec/output-collector.ts";
import { Utf8Chunks } from "../../sandbox/exec/utf8-chunks.ts";
import { createRedactor, nothingSecret } from "../../shared/redact/redactor.ts";

const plain = { clean: (text: string) => text, redactor: nothingSecret };

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)),
  fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => Buffer.from(text)),
);

function cut(whole: Buffer, at: number[]): Buffer[] {
  const places = [...new Set([0, ...at.map((place) => place % (whole.length + 1)), whole.length])].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((end, index) => whole.subarray(places[index], end));
}

test("text is the same wherever its bytes were cut", () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(200)), (whole, at) => {
      const decoder = new Utf8Chunks();
      const pieces = [...cut(whole, at).map((chunk) => decoder.push(chunk)), decoder.end()];
      expect(pieces.join("")).toBe(whole.toString("utf8"));
    }),
  );
});

test("live text carries its byte offset, whatever was held back", () => {
  const redactor = createRedactor([]);
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(200)), fc.nat(80), (whole, at, limit) => {
      let sent = "";
      const live = new LiveOutputSender(limit, redactor, (_, offset, text) => {
        expect(offset).toBe(Buffer.byteLength(sent));
        sent += text;
      });
      for (const chunk of cut(whole, at)) live.push("stdout", chunk);
      live.end();
      const text = stripAnsi(whole.toString("utf8"));
      expect(whole.length <= limit ? sent : text.slice(0, sent.length)).toBe(
        whole.length <= limit ? text : sent,
      );
    }),
  );
});

const secret = ["ghp", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9jK2m"].join("_");

test.each([
  ["a colour, as grep gives it", "\u001b[01;31m\u001b[K"],
  ["a title", "\u001b]0;a title\u0007"],
  ["a link", "\u001b]8;;https://example.com\u001b\\"],
  ["a picture", "\u001bPq#0\u001b\\"],
  ["a NUL", "\0"],
])("a secret with %s in its middle is not shown live, in pieces of any size", (_, within) => {
  const redactor = createRedactor([]);
  const whole = `a ${secret.slice(0, 9)}${within}${secret.slice(9)} b\n`;
  for (let size = 1; size <= whole.length; size += 1) {
    let sent = "";
    const live = new LiveOutputSender(2_000, redactor, (_, _offset, text) => {
      sent += text;
    });
    for (let at = 0; at < whole.length; at += size)
      live.push("stdout", Buffer.from(whole.slice(at, at + size)));
    live.end();
    expect(sent).toBe("a [redacted: GitHub token] b\n");
  }
});

test("an endless string is held back up to a limit", () => {
  const pieces = new PlainPieces();
  expect(pieces.push("a\u001bPb")).toBe("a");
  expect(pieces.push("c".repeat(10_000))).toBe(`b${"c".repeat(10_000)}`);
});

test("no part of a secret is shown at the cut of long output, live or in the result", () => {
  const redactor = createRedactor([]);
  for (let before = 60; before < 360; before += 1) {
    const whole = `${".".repeat(before)} ${secret} ${".".repeat(400 - before)}`;
    const collector = new OutputCollector(200);
    let sent = "";
    const live = new LiveOutputSender(200, redactor, (_, _offset, text) => {
      sent += text;
    });
    for (let at = 0; at < whole.length; at += 7) {
      collector.push(Buffer.from(whole.slice(at, at + 7)));
      live.push("stdout", Buffer.from(whole.slice(at, at + 7)));
    }
    live.end();
    const { text, truncated } = collector.text(200, { clean: (same) => same, redactor });
    expect(truncated).toBe(true);
    expect(`${sent}\n${text}`.replaceAll(/\[redacted: [^\]]*\]|bytes cut/g, "")).not.toMatch(/[a-zA-Z]/);
  }
});

test("within its limit a collector keeps everything; beyond it head, tail and the exact count between them", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom("a", "b", "ü", "\n"), maxLength: 40 })),
      fc.integer({ min: 8, max: 60 }),
      (chunks, limit) => {
        const collector = new OutputCollector(limit);
        for (const chunk of chunks) collector.push(Buffer.from(chunk));
        const whole = chunks.join("");
        const size = Buffer.byteLength(whole);
        const { text, truncated } = collector.text(limit, plain);
        expect(truncated).toBe(size > limit);
        if (!truncated) {
          expect(text).toBe(whole);
          return;
        }
        const [, head = "", count = "", tail = ""] =
          /^([\s\S]*)\n\[… (\d+) bytes cut …\]\n([\s\S]*)$/.exec(text) ?? [];
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head) + Number(count) + Buffer.byteLength(tail)).toBe(size);
      },
    ),
  );
});

test("the two streams share one limit, and the shorter one loses nothing it need not", () => {
  const filled = (size: number) => {
    const collector = new OutputCollector(100);
    collector.push(Buffer.alloc(size, "x"));
    return collector;
  };
  expect(shareOutput(100, filled(1000), filled(10), plain).stderr).toBe("x".repeat(10));
  expect(shareOutput(100, filled(30), filled(1000), plain).stdout).toBe("x".repeat(30));
  expect(shareOutput(100, filled(60), filled(40), plain).truncated).toBe(false);
  expect(shareOutput(100, filled(60), filled(41), plain).truncated).toBe(true);
});

test.each([
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u001b]8;;https://x\u0007link\u001b]8;;\u0007", "link"],
  ["\u001b]0;title\u001b\\text", "text"],
  ["a\u001b[2K\u001b[1Gb", "ab"],
  ["\u001b(Btext\u001b=", "text"],
  ["tab\tline\r\nend\u0007", "tab\tline\r\nend"],
  ["no [31m escape", "no [31m escape"],
])("terminal sequences are removed: %j", (raw, clean) => {
  expect(stripAnsi(raw)).toBe(clean);
});

test("an unfinished title or image sequence swallows no text", () => {
  expect(stripAnsi("\u001b]0;title\u0007a")).toBe("a");
  expect(stripAnsi("\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\ \u001bPq#0\u001b\\b")).toBe("link b");
  expect(stripAnsi("\u001b]0;open\nnext line")).toBe("0;open\nnext line");
  expect(stripAnsi("\u001bPthe rest\nof it")).toBe("the rest\nof it");
});
