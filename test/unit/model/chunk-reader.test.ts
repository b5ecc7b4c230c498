// Framing of a provider's answer that is cut anywhere.
import { describe, expect, test } from "vitest";
import { ChunkReader } from "../../../functions/model/chunk-reader.ts";

/** The chunks of `text` when it arrives `size` bytes at a time, and the reader's result for all of it. */
function read(text: string, size: number) {
  const reader = new ChunkReader();
  const bytes = Buffer.from(text);
  const chunks = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(...reader.push(bytes.subarray(at, at + size)));
  chunks.push(...reader.finish());
  return { chunks, done: reader.done, broken: reader.broken };
}

const good: [name: string, text: string, chunks: unknown[], done: boolean][] = [
  ["LF", 'data: {"a":"ä🌍"}\n\ndata: [DONE]\n\n', [{ a: "ä🌍" }], true],
  ["CRLF", 'data: {"a":1}\r\n\r\ndata: {"b":2}\r\n\r\n', [{ a: 1 }, { b: 2 }], false],
  ["CR alone", 'data: {"a":1}\r\rdata: {"b":2}\r\r', [{ a: 1 }, { b: 2 }], false],
  ["no blank lines", 'data: {"a":1}\ndata: {"b":2}\ndata: [DONE]', [{ a: 1 }, { b: 2 }], true],
  ["JSON over several lines", 'data: {"a":\r\ndata: 1}\r\n\r\n', [{ a: 1 }], false],
  [
    "comments, ids, words",
    ': hi\n\nid: 7\nretry: 3\nevent: message\ndata: ping\n\ndata:{"a":1}\n\n',
    [{ a: 1 }],
    false,
  ],
  ["no line end at the end", 'data: {"a":1}', [{ a: 1 }], false],
  ["an error event", 'event: error\ndata: {"message":"no"}\n\n', [{ error: { message: "no" } }], false],
  ["one JSON body", '{\n  "a": 1,\n  "id": "x"\n}', [{ a: 1, id: "x" }], false],
  ["JSON lines", '{"a":1}\n{"b":2}\n', [{ a: 1 }, { b: 2 }], false],
];

describe("stream chunks", () => {
  test("JSON over several lines may have brackets and quotes in its strings", () => {
    const chunk = { a: '}"{\\', b: [{}], c: "{" };
    const lines = JSON.stringify(chunk, null, 1).split("\n");
    const text = lines.map((line) => `data: ${line}\n`).join("");
    for (const size of [1, 5, 1_000])
      expect(read(`${text}\n`, size)).toEqual({ chunks: [chunk], done: false, broken: false });
  });

  test("JSON over very many lines is parsed once, not with every line", () => {
    const chunk = { a: Array.from({ length: 20_000 }, (_, n) => `line ${n} that says a little more`) };
    const lines = JSON.stringify(chunk, null, 1).split("\n");
    expect(read(`${lines.map((line) => `data: ${line}\n`).join("")}\n`, 1_000).chunks).toEqual([chunk]);
  });

  test.each([
    ["a line without an end", `data: {"a":"${"x".repeat(9_000_000)}`],
    ["lines that are no stream, without an end", "<p>Please wait.</p>\n".repeat(500_000)],
    ["JSON over lines without an end", `data: {"a":[\n${`data: "${"x".repeat(1_000)}",\n`.repeat(9_000)}`],
    ["brackets that close more than was opened", 'data: {"a":\ndata: }}\n'],
  ])("%s cannot be trusted, which is detected at once", (_name, text) => {
    const reader = new ChunkReader();
    for (let at = 0; at < text.length; at += 65_536) reader.push(Buffer.from(text.slice(at, at + 65_536)));
    expect(reader.broken).toBe(true);
  });

  test.each(good)("%s", (_name, text, chunks, done) => {
    for (const size of [1, 2, 3, 5, 1_000]) expect(read(text, size)).toEqual({ chunks, done, broken: false });
  });

  test.each([['data: {"a":1}\n\ndata: {"b":\n\n'], ['data: {"a":1}\n\ndata: {"b'], ['{"a":1}\n{"b":']])(
    "%j is incomplete",
    (text) => {
      expect(read(text, 4)).toMatchObject({ chunks: [{ a: 1 }], broken: true });
    },
  );
});
