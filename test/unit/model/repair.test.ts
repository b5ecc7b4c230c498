// Repairs of malformed calls are made only if they cannot change the meaning.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { repairArguments, repairCall, repairName } from "../../../functions/model/repair.ts";

const known = new Set(["read_file", "write_file", "run_command"]);

describe("arguments", () => {
  const repaired: [text: string, kind: string | undefined, meant: unknown][] = [
    ["", undefined, {}],
    ["null", undefined, {}],
    [' {"a": 1} ', undefined, { a: 1 }],
    ['```json\n{"a": 1}\n```', "fence", { a: 1 }],
    ['"{\\"a\\": 1}"', "double_encoded", { a: 1 }],
    ['{}{"a": 1}', "empty_prefix", { a: 1 }],
    ['{"a": "x\ny\tz"}', "control_characters", { a: "x\ny\tz" }],
    ["{'a': 'b', 'c': True, 'd': None}", "quotes", { a: "b", c: true, d: null }],
    ['{"a": [1, 2,], }', "trailing_comma", { a: [1, 2] }],
    ['{"a": ", }"', "cut_off", { a: ", }" }],
    ['{"a": {"b": ["c"', "cut_off", { a: { b: ["c"] } }],
  ];
  test.each(repaired)("%j is repaired (%s)", (text, kind, meant) => {
    const found = repairArguments(text);
    expect(found?.kind).toBe(kind);
    expect(JSON.parse(found?.text ?? "")).toEqual(meant);
  });

  const hopeless = [
    '{"a": "cut in a stri',
    '{"a": 12',
    '{"a":',
    '{"a": 1,',
    "{'a': 'it's'}",
    "[1]",
    "7",
    '{"a": 1} and more',
    "{a}",
  ];
  test.each(hopeless)("%j stays unchanged", (text) => {
    expect(repairArguments(text)).toBeUndefined();
  });

  test("missing brackets are not guessed where the answer ran out of tokens", () => {
    expect(repairArguments('{"edits": [{"op": "append"}', true)).toBeUndefined();
  });

  test("valid JSON is never changed", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const found = repairArguments(JSON.stringify(value));
        expect(found?.kind).toBeUndefined();
        expect(found?.text).toBe(JSON.stringify(value));
      }),
    );
  });

  test("any text gives an object or nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."{}[]\"'\\,:a1 \n`") }), (text) => {
        const found = repairArguments(text);
        if (found !== undefined) expect(typeof JSON.parse(found.text)).toBe("object");
      }),
    );
  });
});

describe("names", () => {
  test.each([
    "read_file",
    "readFile",
    "read-file",
    "ReadFile",
    "functions.read_file",
    "read_file()",
    " read_file",
  ])("%j is read as read_file", (name) => {
    expect(repairName(name, known)).toBe("read_file");
  });

  test.each(["read", "delete_file", "readfiles"])("%j stays unknown", (name) => {
    expect(repairName(name, known)).toBe(name);
  });

  test("a repair is reported", () => {
    const { call, diagnostics } = repairCall(
      { id: "1", name: "readFile", arguments: '{"path": "a",}' },
      known,
    );
    expect(call).toEqual({ id: "1", name: "read_file", arguments: '{"path": "a"}' });
    expect(diagnostics).toEqual([
      { kind: "tool_name", repaired: true },
      { kind: "trailing_comma", repaired: true },
    ]);
  });

  test("what cannot be repaired is reported too", () => {
    const { call, diagnostics } = repairCall({ id: "1", name: "read_file", arguments: '{"path"' }, known);
    expect(call.arguments).toBe('{"path"');
    expect(diagnostics).toEqual([{ kind: "arguments", repaired: false }]);
  });
});
