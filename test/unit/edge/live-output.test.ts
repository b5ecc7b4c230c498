import { describe, expect, test } from "vitest";
import { ShownOutput } from "../../../functions/turn/told.ts";
import { createRedactor } from "../../../shared/redact/redactor.ts";

const key = "own-key-of-no-form-0123";
const mark = "[redacted: secret]";

/** The shown part of a command's output that arrives in pieces, whose bytes the sandbox counts. */
function shown(pieces: readonly string[], output = new ShownOutput(createRedactor([key], "values"))) {
  let offset = 0;
  return pieces.flatMap((text) => {
    const event = output.event("call", { key: "t/0/0", stream: "stdout", offset, text });
    offset += Buffer.byteLength(text);
    return event?.event === "tool.output" ? [event.data] : [];
  });
}

describe("live output", () => {
  test("holds back what may be the beginning of a key, wherever it is cut", () => {
    const text = `é ${key} and ${key.slice(0, 9)}, ${key}${key}\n`;
    for (let first = 0; first <= text.length; first += 1)
      for (const second of [1, 5, 30]) {
        const pieces = [text.slice(0, first), text.slice(first, first + second), text.slice(first + second)];
        const events = shown(pieces.filter((piece) => piece !== ""));
        expect(events.map((event) => event.text).join("")).toBe(text.replaceAll(key, mark));
        let bytes = 0;
        for (const event of events) {
          expect(event.offset).toBe(bytes);
          bytes += Buffer.byteLength(event.text);
        }
      }
  });

  test("does not end with half a key", () => {
    expect(
      shown(["ab", key.slice(0, 12)])
        .map(({ text }) => text)
        .join(""),
    ).toBe("ab");
  });

  test("counts each stream and call separately, and leaves a gap where pieces are missing", () => {
    const output = new ShownOutput(createRedactor([key], "values"));
    const event = (offset: number, text: string, stream: "stdout" | "stderr" = "stdout", id = "t/0/0") =>
      output.event("call", { key: id, stream, offset, text });
    event(0, `${key}\n`);
    expect(event(key.length + 1, "a")).toMatchObject({ data: { offset: mark.length + 1 } });
    expect(event(key.length + 12, "b")).toMatchObject({ data: { offset: mark.length + 12 } });
    expect(event(0, "c", "stderr")).toMatchObject({ data: { offset: 0 } });
    expect(event(0, "d", "stdout", "t/0/1")).toMatchObject({ data: { offset: 0 } });
  });
});
