import { describe, expect, test } from "vitest";
import { dataOf } from "../../harness/conversation.ts";
import type { Stage } from "./stage.ts";

const nearly = '{"name": "Read", "arguments": {"file_path": "package.json"}}';
const unknown = '{"name": "WebSearch", "arguments": {"query": "ky"}}';

export function describeUnreadCalls(stage: Stage): void {
  describe("calls that are not read", () => {
    test("what is nearly a call is run, and shown no more", async () => {
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

    test("an unread call goes on with the tools by name and an example, twice; then the person reads it too", async () => {
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
      // The model reads what it wrote, and why that was not run.
      const { messages } = stage.model().requests.at(-1)?.body ?? { messages: [] };
      expect(messages.filter(({ role }) => role === "assistant").map(({ content }) => content)).toEqual([
        unknown,
        unknown,
      ]);
    });

    test("a claim of a change in a turn that changed nothing is answered; one after a change is not", async () => {
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

    test("a file that is only shown is asked about once, also after a change", async () => {
      const write = '```tool\n{"tool": "write_file", "args": {"path": "n.txt", "content": "n"}}\n```';
      const shows = "The rest of n.txt:\n\n```txt\none\ntwo\nthree\n```";
      const talk = await stage.open([{ text: write }, { text: shows }, { text: shows }]);
      talk.options = { toolProtocol: "text" };
      const events = await talk.say("Write n.txt");
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 3 });
      expect(talk.messages.filter(({ role }) => role === "event")).toHaveLength(1);
    });

    test("a call that cannot be parsed goes back as it was written", async () => {
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
