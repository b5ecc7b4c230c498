import { describe, expect, test } from "vitest";
import { dataOf } from "../../harness/conversation.ts";
import type { Stage } from "./stage.ts";

const nearly = '{"name": "Read", "arguments": {"file_path": "package.json"}}';
const unknown = '{"name": "WebSearch", "arguments": {"query": "ky"}}';

export function describeUnreadCalls(stage: Stage): void {
  describe("calls that cannot be read", () => {
    test("a near miss is run, and not shown as text", async () => {
      const talk = await stage.open([{ text: nearly, deltaChars: 3 }, { text: "It is called sample." }]);
      talk.options = { toolProtocol: "text" };
      const events = await talk.say("What is it called?");
      expect(talk.result("read_file")).toMatchObject({ ok: true });
      expect(talk.messages.filter(({ role }) => role === "assistant").map(({ content }) => content)).toEqual([
        "",
        "It is called sample.",
      ]);
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 2 });
    });

    test("an unreadable call is answered with the tools by name and an example, twice; then the person reads it too", async () => {
      const talk = await stage.open([{ text: unknown }]);
      talk.options = { toolProtocol: "text" };
      const events = await talk.say("Look it up");
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 3 });
      const told = talk.messages.filter(({ role }) => role === "event").map(({ content }) => content);
      expect(told).toHaveLength(3);
      for (const words of told) {
        expect(words).toMatch(/there is no tool `WebSearch`.*read_file.*edit_file/s);
        expect(words).toContain('```tool\n{"tool":');
      }
      // The model reads its own text, and why it was not run.
      const { messages } = stage.model().requests.at(-1)?.body ?? { messages: [] };
      expect(messages.filter(({ role }) => role === "assistant").map(({ content }) => content)).toEqual([
        unknown,
        unknown,
      ]);
    });

    test("an answer that was all reasoning is told so, with its last words as the model wrote them", async () => {
      const talk = await stage.open([
        { text: `<think>${"Hm. ".repeat(200)}So I call read_file` },
        { text: "Done." },
      ]);
      const events = await talk.say("Look");
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 2 });
      const told = talk.messages.filter(({ role }) => role === "event").map(({ content }) => content);
      expect(told).toEqual([expect.stringMatching(/reasoning was not closed.*Hm\. So I call read_file$/s)]);
      expect(JSON.stringify(stage.model().requests.at(-1)?.body.messages)).toContain("So I call read_file");
    });

    test("a claim of a change in a turn that changed nothing gets a correction; one after a change does not", async () => {
      const write = '```tool\n{"tool": "write_file", "args": {"path": "n.txt", "content": "n"}}\n```';
      const talk = await stage.open([
        { text: "I have created the file." },
        { text: write },
        { text: "I have created the file." },
      ]);
      talk.options = { toolProtocol: "text" };
      const events = await talk.say("Create n.txt");
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 3 });
      expect(await stage.file(talk, "n.txt")).toBe("n");
    });

    test("a claim after a refused change gets a correction, and so do commands that are only announced", async () => {
      const edit = (old: string) =>
        `\`\`\`tool\n${JSON.stringify({ tool: "edit_file", args: { path: "package.json", edits: [{ op: "replace_text", old, new: "2.0.0" }] } })}\n\`\`\``;
      const talk = await stage.open([
        { text: edit("1.0.0") },
        { text: edit("nowhere") },
        { text: "I have updated the file." },
        { text: "I will use sed for it:\n\n```bash\nsed -i s/a/b/ package.json\n```" },
        { text: "It is as it was." },
      ]);
      talk.options = { toolProtocol: "text" };
      const events = await talk.say("Change it");
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 5 });
      const told = talk.messages.filter(({ role }) => role === "event").map(({ content }) => content);
      expect(told[0]).toContain("it says that files were changed");
      expect(told[1]).toContain('{"tool":"run_command","args":{"command":"sed -i s/a/b/ package.json"}}');
    });

    test("any other end after a refused change is questioned once, with the file's name", async () => {
      const edit = (path: string, old: string) =>
        `\`\`\`tool\n${JSON.stringify({ tool: "edit_file", args: { path, edits: [{ op: "replace_text", old, new: "2.0.0" }] } })}\n\`\`\``;
      const talk = await stage.open([
        { text: edit("package.json", "nowhere") },
        { text: "The normal version is 2.0.0 in package.json." },
        { text: edit("package.json", "1.0.0") },
        { text: edit("package.json", "nowhere") },
        { text: "The normal version is 2.0.0 in package.json." },
      ]);
      talk.options = { toolProtocol: "text" };
      const events = await talk.say("Change it");
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 5 });
      const told = talk.messages.filter(({ role }) => role === "event").map(({ content }) => content);
      expect(told).toEqual([expect.stringContaining("Your last change of package.json was rejected")]);
    });

    test("an admission that a refused change was not made ends the turn", async () => {
      const edit =
        '{"path": "package.json", "edits": [{"op": "replace_text", "old": "nowhere", "new": "x"}]}';
      const talk = await stage.open([
        { text: `\`\`\`tool\n{"tool": "edit_file", "args": ${edit}}\n\`\`\`` },
        { text: "I could not find that text, so package.json is unchanged." },
      ]);
      talk.options = { toolProtocol: "text" };
      const events = await talk.say("Change it");
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 2 });
    });

    test("a file that is only shown as text is questioned once, also after a change", async () => {
      const write = '```tool\n{"tool": "write_file", "args": {"path": "n.txt", "content": "n"}}\n```';
      const shows = "The rest of n.txt:\n\n```txt\none\ntwo\nthree\n```";
      const talk = await stage.open([{ text: write }, { text: shows }, { text: shows }]);
      talk.options = { toolProtocol: "text" };
      const events = await talk.say("Write n.txt");
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 3 });
      expect(talk.messages.filter(({ role }) => role === "event")).toHaveLength(1);
    });

    test("a call that cannot be parsed is returned as it was written", async () => {
      const broken = '{"path": "a.txt", "content": "he said "no""}';
      const talk = await stage.open([
        { text: `\`\`\`tool\n{"tool": "write_file", "args": ${broken}}\n\`\`\`` },
        { text: "I cannot." },
      ]);
      talk.options = { toolProtocol: "text" };
      await talk.say("Write it");
      const { messages } = stage.model().requests.at(-1)?.body ?? { messages: [] };
      expect(messages.find(({ role }) => role === "assistant")?.content).toContain(broken);
    });
  });
}
