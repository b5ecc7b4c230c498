// The result that the model reads after it calls a tool. A new tool needs a line in `examples`, and a test if
// a line is not enough.
import { describe, expect, test } from "vitest";
import type { Mode } from "../../../shared/mode.ts";
import { dataOf } from "../../harness/conversation.ts";
import type { Stage } from "./stage.ts";

/** A call in the sample project, in normal mode unless another is given, and what its result contains. */
interface ToolExample {
  name: string;
  args: Record<string, unknown>;
  mode?: Mode;
  result: string | RegExp;
}

const examples: readonly ToolExample[] = [
  {
    name: "read_file",
    args: { path: "package.json" },
    result: /^\[package\.json @v\d+ lines 1-\d+ of \d+\]\n1[a-z]{3}\|\{/,
  },
  { name: "list_files", args: { depth: 1 }, result: "package.json" },
  { name: "search_files", args: { pattern: "scripts" }, result: "package.json" },
  { name: "run_command", args: { command: "echo said" }, mode: "auto", result: "said" },
  { name: "write_file", args: { path: "new.txt", content: "a\n", base: null }, result: "new.txt" },
];

export function describeToolCalls(stage: Stage): void {
  describe("tool calls", () => {
    test.each(examples)("the model reads the result of $name", async ({ name, args, mode, result }) => {
      const talk = await stage.open([{ calls: [{ name, args }] }, { text: "done" }], mode);
      await talk.say("Go on");
      expect(talk.result(name)).toMatchObject({ ok: true, content: expect.stringMatching(result) });
    });

    test("several calls get one result each, in call order, with the numbers of [meta]", async () => {
      const talk = await stage.open([
        {
          calls: [
            { name: "read_file", args: { path: "package.json" } },
            { name: "list_files", args: { depth: 1 } },
            { name: "nonsense", args: {} },
          ],
        },
        { text: "done" },
      ]);
      await talk.say("Look");
      const assistant = talk.messages.find((message) => message.role === "assistant" && message.toolCalls);
      const ids = assistant?.role === "assistant" ? assistant.toolCalls?.map(({ id }) => id) : [];
      const results = talk.messages.filter((message) => message.role === "tool");
      expect(results.map(({ toolCallId }) => toolCallId)).toEqual(ids);
      expect(results[2]?.content).toBe("error: unknown tool `nonsense`");
      const sent =
        stage
          .model()
          .requests.at(-1)
          ?.body.messages.filter(({ role }) => role === "tool") ?? [];
      expect(sent[0]?.content).toMatch(/^\[package\.json @v\d+ lines 1-\d+ of \d+\]\n1[a-z]{3}\|\{/);
      // The last result of a round tells how far the turn has progressed.
      expect(sent.map(({ content }) => /\n\[meta\] 1\/\d+ \d+%$/.test(String(content)))).toEqual(
        sent.map((_, index) => index === sent.length - 1),
      );
    });

    test("a missing or repeated call id is replaced", async () => {
      const talk = await stage.open([
        {
          calls: [
            { id: null, name: "list_files", args: {} },
            { id: "same", name: "list_files", args: {} },
            { id: "same", name: "list_files", args: {} },
          ],
        },
        { text: "done" },
      ]);
      await talk.say("Look");
      const results = talk.messages
        .filter((message) => message.role === "tool")
        .map(({ toolCallId }) => toolCallId);
      expect(new Set(results).size).toBe(3);
      expect(results[1]).toBe("same");
      expect(results[2]).toMatch(/\.0\.2$/);
    });

    test("arguments that are not JSON come back as a failed result, and the turn continues", async () => {
      const talk = await stage.open([
        { calls: [{ name: "read_file", args: '{"path": [[[' }] },
        { text: "sorry" },
      ]);
      const events = await talk.say("Look");
      expect(talk.result("read_file")).toMatchObject({ ok: false });
      expect(dataOf(events, "turn.done").reason).toBe("stop");
    });

    test("wrong arguments come back with the field and the remedy", async () => {
      const talk = await stage.open([
        {
          calls: [
            { name: "read_file", args: { path: "a.txt", zz: 1 } },
            { name: "run_command", args: {} },
          ],
        },
        { text: "sorry" },
      ]);
      await talk.say("Look");
      expect(talk.result("read_file").content).toContain('unknown field "zz"');
      expect(talk.result("run_command").content).toMatch(/command: missing/);
    });

    test("a huge file is written, and the conversation continues", async () => {
      const content = `${"x".repeat(60)}\n`.repeat(9_000);
      const talk = await stage.open([
        { calls: [{ name: "write_file", args: { path: "big.txt", content, base: null } }] },
        { text: "ok" },
        { text: "still here" },
      ]);
      expect(dataOf(await talk.say("Write"), "turn.done").reason).toBe("stop");
      expect((await stage.file(talk, "big.txt"))?.length).toBe(content.length);
      expect(dataOf(await talk.say("And now?"), "turn.done").reason).toBe("stop");
    });
  });
}
