// `set_plan`, `update_plan`, `get_plan` and their hidden messages, which are kept in the history and sent to
// the model as blocks, never as roles.
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { Message } from "../../../shared/message.ts";
import { dataOf } from "../../harness/conversation.ts";
import { countOf, executing, exitPlan, lastWire, setPlan, step } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

export function describePlanTools(stage: Stage): void {
  const rolesOnWire = () =>
    new Set(
      stage
        .model()
        .requests.at(-1)
        ?.body.messages.map(({ role }) => role),
    );

  describe("plan tools", () => {
    test("set_plan installs version 1, then the next one, each kept as a hidden message", async () => {
      const talk = await stage.open(
        [
          { calls: [setPlan("One")] },
          { calls: [setPlan("Two", undefined, { checkpoints: ["npm test", "verify-it src"] })] },
          { text: "ok" },
        ],
        "plan",
      );
      await talk.say("Plan");
      const kept = talk.messages.flatMap((message) => (message.role === "plan" ? [message.extra.plan] : []));
      expect(kept.map(({ version, supersedes, goal }) => [version, supersedes, goal])).toEqual([
        [1, null, "One"],
        [2, 1, "Two"],
      ]);
      expect(talk.result("set_plan").content).toBe(
        'Plan version 2 installed. Steps: s1. Of the checkpoints these read as words and are not run: "verify-it src". A command goes in backticks.',
      );
      expect([...rolesOnWire()].sort()).toEqual(["assistant", "system", "tool", "user"]);
    });

    test("update_plan appends a delta: the hash changes, the version does not, an open proposal is withdrawn", async () => {
      const talk = await stage.open([{ calls: [setPlan(), exitPlan] }], "plan");
      await talk.say("Plan");
      const before = talk.plan;
      const change = { note: "found more", addSteps: [{ description: "Rest" }] };
      stage.model().play([{ calls: [{ name: "update_plan", args: change }] }, { calls: [exitPlan] }]);
      const events = await talk.say("One more step");
      const drafts = events.flatMap((event) => (event.event === "plan" ? [event.data.plan.status] : []));
      expect(drafts).toEqual(["draft", "proposed"]);
      expect(talk.plan).toMatchObject({ version: 1, deltas: [{ seq: 1, note: "found more" }] });
      expect(talk.plan?.hash).not.toBe(before?.hash);
      expect(dataOf(events, "proposal")).toEqual({ planVersion: 1, planHash: talk.plan?.hash });
    });

    test("without a plan update_plan says what to call first, and get_plan says that there is none", async () => {
      const talk = await stage.open([
        { calls: [step("s1", "active"), { name: "get_plan", args: {} }] },
        { text: "ok" },
      ]);
      await talk.say("Go");
      expect(talk.result("update_plan").content).toBe("error: no plan to update; call set_plan first");
      expect(talk.result("get_plan").content).toBe('{"plan":null}');
    });

    test("get_plan says where the text is, and returns updates and progress", async () => {
      const talk = await stage.open(
        [
          { calls: [setPlan("Goal UNIQUE-G")] },
          { calls: [{ name: "update_plan", args: { note: "a note on it" } }] },
          { calls: [{ name: "get_plan", args: {} }] },
          { text: "ok" },
        ],
        "plan",
      );
      await talk.say("Plan");
      const { content } = talk.result("get_plan");
      expect(content).toBe(
        "Version 1 with 1 update, draft: 0 of 1 steps done.\n\nIts text is the one above, in the call or text that made it; nothing changed since.\n\ndeltaCount: 1",
      );
      expect(countOf(lastWire(stage), "UNIQUE-G")).toBe(1);
    });

    test("a text over the cap is cut inside it, with the marker, and the result says so", async () => {
      const talk = await stage.open(
        [{ calls: [{ name: "set_plan", args: { markdown: "x".repeat(100_000) } }] }, { text: "ok" }],
        "plan",
      );
      await talk.say("Plan");
      expect(talk.plan?.markdown).toHaveLength(98_304);
      expect(talk.plan?.markdown).toMatch(/\n\[truncated: kept \d+ of 100000 chars\]$/);
      expect(talk.result("set_plan").content).toMatch(/\[truncated: kept \d+ of 100000 chars\]/);
      // The request contains the plan as it is stored, not the call that sent it.
      expect(countOf(lastWire(stage), "x".repeat(90_000))).toBe(1);
      expect(lastWire(stage)).toContain("[truncated: kept");
    });

    test("long updates are folded into the next version, with a notice", async () => {
      const note = (letter: string) => ({ name: "update_plan", args: { note: letter.repeat(9_000) } });
      const { talk } = await executing(stage, setPlan(), [
        { calls: [note("a")] },
        { calls: [note("b")] },
        { text: "ok" },
      ]);
      expect(talk.plan).toMatchObject({ version: 2, supersedes: 1, deltas: [], status: "executing" });
      expect(talk.plan?.hash).toBe(dataOf(talk.events, "proposal").planHash);
      expect(lastWire(stage)).toContain("folded into version 2");
    });
  });

  test("a history with proposals of the older form continues as it is, each of its texts once", async () => {
    const talk = await stage.open([{ text: "Going on." }], "plan");
    const fixture = new URL("../../fixtures/propose-plan.json", import.meta.url);
    talk.messages = z.parse(z.array(Message), JSON.parse(await readFile(fixture, "utf8")));
    talk.mode = "normal";
    expect(dataOf(await talk.say("Start"), "turn.done").reason).toBe("stop");
    const sent = lastWire(stage);
    expect(countOf(sent, "Answer 429 above the limit")).toBe(1);
    expect(countOf(sent, "propose_plan")).toBe(2);
    expect(sent).toContain("[Mode switched from plan to normal.");
    expect(sent).not.toMatch(/<(proposed|approved)-plan/);
  });

  describe("hidden roles", () => {
    const common = { createdAt: 1, mode: "normal" as const };
    const event = (
      id: string,
      subkind: string,
      data: Record<string, unknown> = {},
      content = `of ${id}`,
    ): Message => ({
      ...common,
      id,
      role: "event",
      content,
      extra: { event: { subkind, source: "test", data } },
    });
    const user = (id: string): Message => ({ ...common, id, role: "user", content: `said ${id}` });

    test("a plan and its updates reach the model as blocks, escaped, and no provider sees their roles", async () => {
      const maker = await stage.open([{ calls: [setPlan("Use <b> & </plan>")] }, { text: "ok" }]);
      await maker.say("Plan");
      const plan = maker.messages.find((message) => message.role === "plan");
      const talk = await stage.open([{ text: "ok" }]);
      talk.messages = [
        user("u1"),
        ...(plan ? [plan] : []),
        event("d1", "plan_delta", { seq: 1, version: 1 }, "Step [s1]: text: <i>"),
        event("e1", "ide_callback", {}, "opened <a>"),
      ];
      await talk.say("Go");
      const texts =
        stage
          .model()
          .requests.at(-1)
          ?.body.messages.map(({ content }) => String(content)) ?? [];
      expect(texts.find((text) => text.startsWith('<plan version="1">'))).toContain("Use <b> & &lt;/plan>");
      expect(texts).toContain('<plan-update seq="1">\nStep [s1]: text: <i>\n</plan-update>');
      expect(texts).toContain('<event subkind="ide_callback" source="test">\nopened <a>\n</event>');
      expect([...rolesOnWire()].sort()).toEqual(["system", "user"]);
    });

    test("events are kept or dropped by subkind as the history grows", async () => {
      const old: Message[] = [
        event("o-delta", "plan_delta", { seq: 1 }),
        event(
          "o-switch",
          "mode_switch",
          { from: "plan", to: "normal" },
          "[Mode switched from plan to normal.]",
        ),
        event("o-tick", "tick"),
        event("o-ide", "ide_callback"),
        event("o-decision", "tool_decision", { decision: "once" }),
        event("o-grant", "tool_decision", {
          decision: "session",
          risk: "remote",
          program: "git",
          subcommand: "push",
        }),
        event("o-report", "verifier_report", { kind: "checkpoint" }),
        event("o-marker", "summarization_marker"),
        event("o-note", "cancellation_note"),
        event("o-notice", "system_notice"),
        event("o-unknown", "something_else"),
        ...Array.from({ length: 10 }, (_, index) => event(`o-process-${index}`, "process_completed")),
        ...Array.from({ length: 10 }, (_, index) => event(`o-cron-${index}`, "cron_fire")),
      ];
      const talk = await stage.open([{ text: "ok" }]);
      talk.messages = [
        user("u0"),
        ...old,
        ...Array.from({ length: 25 }, (_, index) => user(`u${index + 1}`)),
      ];
      await talk.say("Go");
      const wire = lastWire(stage);
      const shown = old.map(({ id }) => id).filter((id) => wire.includes(`of ${id}\\n`));
      const last8 = (name: string) => Array.from({ length: 8 }, (_, index) => `o-${name}-${index + 2}`);
      expect(shown).toEqual([
        "o-delta",
        "o-grant",
        "o-marker",
        "o-note",
        "o-notice",
        "o-unknown",
        ...last8("process"),
        ...last8("cron"),
      ]);
      expect(wire).not.toContain("[Mode switched");
    });
  });
}
