// A call that is incomplete writes nothing, and its error is reported at once.
import { describe, expect, test } from "vitest";
import { brokenAt, takenAnyway, wholeFault } from "../../../functions/model/text-calls/wrong-arguments.ts";
import { tools as allTools, findTool } from "../../../functions/tools/tool-index.ts";
import { completeWith, endOf, tools } from "./complete-with.ts";

const fenced = (call: string) => `I write it.\n\n\`\`\`tool\n${call}\n`;

async function argumentsOf(text: string, finish: string): Promise<string[]> {
  const { events } = await completeWith([{ text, finish }], { tools, toolProtocol: "text" });
  return endOf(events).calls.map((call) => call.arguments);
}

describe.each(["stop", "length", "tool_calls"])("with the finish %s", (finish) => {
  test.each([
    ["a fence that is not closed", fenced('{"tool": "write_file", "args": {"path": "a", "content": "x"}}')],
    [
      "brackets that are missing",
      `${fenced('{"tool": "edit_file", "args": {"path": "a", "edits": [{"op": "append", "lines": ["x"]')}\`\`\``,
    ],
    ["a command in an open fence", fenced('{"tool": "run_command", "args": {"command": "rm a"}}')],
  ])("%s writes nothing", async (_, text) => {
    for (const args of await argumentsOf(text, finish)) expect(() => JSON.parse(args)).toThrow();
  });
});

test("a native call that would have to be completed writes nothing either", async () => {
  const calls = [{ name: "write_file", args: '{"path": "a", "content": "x"' }];
  const { events } = await completeWith([{ calls }]);
  expect(endOf(events).calls[0]?.arguments).toBe(calls[0]?.args);
});

test("a read in an open fence is made", async () => {
  expect(await argumentsOf(fenced('{"tool": "read_file", "args": {"path": "a"}}'), "stop")).toEqual([
    '{"path":"a"}',
  ]);
});

function issuesOf(tool: string, args: unknown) {
  const found = findTool(tool);
  const made = found?.kind === "sandbox" ? found.toCall(args) : undefined;
  return made && !made.ok ? made.issues : [];
}

describe("an invalid call", () => {
  test("is answered with all its faults, what this operation accepts, and an example", () => {
    const args = {
      file: 3,
      edits: [
        { op: "replace", at: "1abc" },
        { op: "replace_text", old: "a" },
      ],
    };
    const text = wholeFault("edit_file", args, issuesOf("edit_file", args));
    for (const part of [
      "arguments.path: missing",
      "edits[0].lines: missing",
      "edits[1].new: missing",
      '"file"',
      "base: is missing",
    ])
      expect(text).toContain(part);
    expect(text).toContain("replace: at, to?, lines; replace_text: old, new, all?");
    expect(text).toContain('```tool\n{"tool":"edit_file"');
  });

  test.each(allTools.filter(({ kind }) => kind === "sandbox").map(({ name }) => name))(
    "of %s is answered with what that tool accepts, and a correct example",
    (name) => {
      const args = { wrong: 1 };
      const text = wholeFault(name, args, issuesOf(name, args));
      expect(text).toContain("It takes: ");
      const example = /```tool\n(.*)\n```$/.exec(text)?.[1] ?? "{}";
      const { tool, args: shown } = JSON.parse(example);
      expect(tool).toBe(name);
      expect(issuesOf(name, shown)).toEqual([]);
    },
  );

  test("with a number above a limit uses the limit, and says so", () => {
    const args = { pattern: "a", context: 50 };
    expect(takenAnyway("search_files", args, issuesOf("search_files", args))).toEqual({
      value: { pattern: "a", context: 20 },
      said: "[context may be 20 at most: that was taken instead of 50]",
    });
  });

  test("where calls are text, a search ignores other agents' settings, a write does not", () => {
    const args = { pattern: "a", output_mode: "content", "-n": true };
    expect(takenAnyway("search_files", args, issuesOf("search_files", args))).toBeUndefined();
    expect(takenAnyway("search_files", args, issuesOf("search_files", args), [])).toEqual({
      value: { pattern: "a" },
      said: "[without output_mode, -n, which search_files does not take]",
    });
    const write = { path: "a", content: "b", append: true };
    expect(takenAnyway("write_file", write, issuesOf("write_file", write), [])).toBeUndefined();
  });

  describe("a missing version", () => {
    const args = { path: "src/a.js", edits: [{ op: "replace_text", old: "a", new: "b", all: true }] };
    const taken = (...shown: string[]) =>
      takenAnyway("edit_file", args, issuesOf("edit_file", args), shown)?.value.base;

    test("is the one that was read, if there is only one", () => {
      expect(taken("[src/b.js @v7 lines 1-2 of 2]\n1|a", "[src/a.js @v3 lines 1-2 of 2]\n1|a")).toBe("v3");
    });

    test("is requested where several were read, or none", () => {
      expect(taken("[src/a.js @v3 lines 1-2 of 2]", "[src/a.js @v4] +1 -1")).toBeUndefined();
      expect(taken("[src/b.js @v3 lines 1-2 of 2]")).toBeUndefined();
    });
  });

  test("gets an example of the attempted edit", () => {
    const args = { path: "a", edits: [{ op: "insert_after", at: "12", lines: ["x"] }] };
    expect(wholeFault("edit_file", args, issuesOf("edit_file", args))).toContain(
      '"base":"v3","edits":[{"op":"insert_after","at":"12"',
    );
  });

  test.each([
    ['{"path": "a", "edits": [{"op": "append"', "`}]}` is missing at the end, or more"],
    ['{"path": "a" "b"}', 'At character 14 a comma or } was expected here: {"path": "a" ⟦here⟧"b"}'],
    ['{"path": "a", "content": "one', 'not closed: {"path": "a", "content": "one⟦end⟧'],
  ])("shows where its JSON breaks: %s", (json, said) => expect(brokenAt(json)).toContain(said));
});
