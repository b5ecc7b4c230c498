// Framing of a provider's answer, cut anywhere.
import { describe, expect, test } from "vitest";
import { ChunkReader } from "../../../functions/model/chunk-reader.ts";

/** The chunks of `text` when it comes `size` bytes at a time, and what the reader says of the whole. */
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

describe("chunks", () => {
  test.each(good)("%s", (_name, text, chunks, done) => {
    for (const size of [1, 2, 3, 5, 1_000]) expect(read(text, size)).toEqual({ chunks, done, broken: false });
  });

  test.each([['data: {"a":1}\n\ndata: {"b":\n\n'], ['data: {"a":1}\n\ndata: {"b'], ['{"a":1}\n{"b":']])(
    "%j is not whole",
    (text) => {
      expect(read(text, 4)).toMatchObject({ chunks: [{ a: 1 }], broken: true });
    },
  );
});
