// Commands and skills of a repository: listed at the start, read when called, and never run on their own.
import { describe, expect, test } from "vitest";
import type { EventMessage } from "../../../shared/message.ts";
import { ProjectCommands } from "../../../shared/project-command.ts";
import type { ScriptedCall } from "../../fakes/model-reply.ts";
import { Conversation, durable } from "../../harness/conversation.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { ask } from "../http/request.ts";
import type { Stage } from "./stage.ts";

const review = `---
description: Reviews a file
argument-hint: "[file] [focus]"
---
Review $1 with an eye on $2.
Everything that was said: $ARGUMENTS. It costs $100.
!\`touch ran-by-itself\``;

const files: Record<string, string> = {
  ".claude/commands/review.md": review,
  ".handrail/commands/git/tidy.md": "# Tidy the branch\nSquash what belongs together.",
  ".opencode/command/review.md": "---\ndescription: The other one\n---\nNot this.",
  ".claude/skills/release/SKILL.md":
    "---\nname: release\ndescription: >\n  Makes a release:\n  tag, notes.\n---\nTag it.",
  ".agents/skills/quiet/SKILL.md":
    "---\ndescription: For people\ndisable-model-invocation: true\n---\nQuiet words.",
  ".agents/skills/inner/SKILL.md": "---\ndescription: For models\nuser-invocable: false\n---\nInner words.",
  ".claude/skills/release/notes.md": "---\ndescription: no command\n---",
};

const write = ([path, content]: [string, string]): ScriptedCall => ({
  name: "write_file",
  args: { path, content, base: null },
});

export function describeCommands(stage: Stage): void {
  /** A new conversation in a workspace with these files. */
  async function within(written: Record<string, string>, mode?: "plan"): Promise<Conversation> {
    const before = await stage.open([{ calls: Object.entries(written).map(write) }], "auto");
    // Files of other agents may start programs on the person's machine, so writing them needs approval.
    await before.say("Write them");
    const asked = before.events.flatMap(({ event, data }) =>
      event === "permission" ? [data.toolCallId] : [],
    );
    const [first, ...others] = asked;
    stage.model().play([{ text: "written" }]);
    if (first !== undefined)
      await before.turn({
        type: "permit",
        toolCallId: first,
        decision: "once",
        others: others.map((toolCallId) => ({ toolCallId, decision: "once" })),
      });
    return new Conversation(before.target, before.sandboxId, mode);
  }
  const from = (talk: Conversation, source: string): EventMessage[] =>
    talk.messages.filter(
      (message): message is EventMessage => message.role === "event" && message.extra.event.source === source,
    );
  const sent = (): string => JSON.stringify(stage.model().requests.at(-1)?.body.messages);

  describe("commands and skills of the project", () => {
    test("are listed for the menu: the first of two with one name, and none that is for the model alone", async () => {
      const talk = await within(files);
      const { json } = await ask(talk.target, `/api/sandboxes/${talk.sandboxId}/commands`);
      expect(ProjectCommands.parse(json).commands).toEqual([
        {
          name: "git:tidy",
          path: ".handrail/commands/git/tidy.md",
          kind: "command",
          description: "Tidy the branch",
        },
        {
          name: "review",
          path: ".claude/commands/review.md",
          kind: "command",
          description: "Reviews a file",
          arguments: "[file] [focus]",
        },
        {
          name: "release",
          path: ".claude/skills/release/SKILL.md",
          kind: "skill",
          description: "Makes a release: tag, notes.",
        },
        { name: "quiet", path: ".agents/skills/quiet/SKILL.md", kind: "skill", description: "For people" },
      ]);
    });

    test("are named to the model once, at the start, without their texts", async () => {
      const talk = await within(files);
      stage.model().play([{ text: "ok" }, { text: "ok" }]);
      await talk.say("Hello");
      await talk.say("Again");
      const [named, ...more] = from(talk, "project_commands");
      expect(more).toEqual([]);
      expect(named?.content).toContain(
        "- /review [file] [focus]: Reviews a file (.claude/commands/review.md)",
      );
      expect(named?.content).toContain("- /inner: For models (.agents/skills/inner/SKILL.md)");
      expect(named?.content).not.toContain("/quiet");
      expect(sent()).not.toContain("Squash");
    });

    test("one that is called is sent before the message, with its arguments filled in, and does not run", async () => {
      const talk = await within(files);
      stage.model().play([{ text: "reviewed" }]);
      await talk.say('/review src/a.ts "null checks"');
      const [called] = from(talk, "project_command");
      expect(called?.content).toContain("Review src/a.ts with an eye on null checks.");
      expect(called?.content).toContain('Everything that was said: src/a.ts "null checks". It costs $100.');
      expect(called?.extra.event.data).toMatchObject({ name: "review", path: ".claude/commands/review.md" });
      const said = talk.messages.findIndex(({ role }) => role === "user");
      expect(talk.messages[said - 1]).toEqual(called);
      expect(talk.messages[said]?.content).toBe('/review src/a.ts "null checks"');
      expect(sent()).toContain("with an eye on null checks");
      expect(await stage.file(talk, "ran-by-itself")).toBeUndefined();
    });

    test("one without placeholders gets its arguments at its end; a skill is called like a command", async () => {
      const talk = await within(files);
      stage.model().play([{ text: "ok" }, { text: "ok" }]);
      await talk.say("/release 1.2");
      await talk.say("/quiet");
      const [release, quiet] = from(talk, "project_command").map(({ content }) => content);
      expect(release).toMatch(/Tag it\.\n\nArguments: 1\.2$/);
      expect(quiet).toMatch(/Quiet words\.$/);
    });

    test("a line that only looks like a command, and a path that leads elsewhere, change nothing", async () => {
      const talk = await within({ ...files, "secret.md": "not a command" });
      stage.model().play(Array.from({ length: 4 }, () => ({ text: "ok" })));
      await talk.say("/etc/hosts is wrong");
      await talk.say("/nothing here");
      await talk.say("/a:..:..:..:secret");
      await talk.say("Use /review here");
      expect(from(talk, "project_command")).toEqual([]);
    });

    test("a turn that is posted again uses the same text, and the model is not asked again", async () => {
      const talk = await within(files);
      stage.model().play([{ text: "ok" }]);
      const body = talk.body({ type: "message", text: "/review x" });
      const first = await collect(eventsOf(await postTurn(talk.target, body)));
      const asked = stage.model().requests.length;
      const again = await collect(eventsOf(await postTurn(talk.target, { ...body, attempt: 2 })));
      expect(durable(again)).toEqual(durable(first));
      expect(JSON.stringify(again)).toContain("with an eye on");
      expect(stage.model().requests).toHaveLength(asked);
    });
  });

  describe("parts of the project's instructions for one mode", () => {
    const rules = `Always: tabs.\n## Mode: Plan\nName the risk of each step.\n### Depth\nThree levels.\n## Style\nShort words.\n## Mode: Normal\nRun the linter.`;

    test("are shown in their mode, and when the mode changes to it", async () => {
      const talk = await within({ "AGENTS.md": rules });
      stage.model().play(Array.from({ length: 4 }, () => ({ text: "ok" })));
      await talk.say("Hello");
      expect(sent()).toContain("Run the linter.");
      expect(sent()).toContain("Short words.");
      expect(sent()).not.toContain("Name the risk of each step.");
      expect(sent()).not.toContain("Three levels.");
      talk.mode = "plan";
      await talk.say("Plan it");
      expect(sent()).toMatch(
        /Mode switched from normal to plan[^"]*Name the risk of each step\.[^"]*Three levels\./,
      );
      talk.mode = "auto";
      await talk.say("Do it");
      expect(sent()).toContain("Mode switched from plan to auto");
      // Of an earlier switch, only the fact that it happened is left.
      expect(sent()).not.toContain("Three levels.");
    });
  });
}
