import fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { render } from "../../../functions/context/render.ts";
import type { PromptMessage } from "../../../functions/model/prompt.ts";
import type { Message } from "../../../shared/message.ts";
import { escapeBlock } from "../../../shared/plan/blocks.ts";
import { runs } from "../../harness/runs.ts";
import { histories } from "./history-arbitrary.ts";
import { HistoryBuilder } from "./history-builder.ts";
import { pairProblems } from "./pair-problems.ts";

const request = (builder: HistoryBuilder) => render(builder.messages, "system");
const text = (prompt: readonly PromptMessage[]) => JSON.stringify(prompt);
const count = (prompt: readonly PromptMessage[], mark: string | undefined) =>
  text(prompt).split(mark ?? "none").length - 1;

describe("hidden roles", () => {
  test("an event is a block whose payload cannot close it", () => {
    const prompt = request(new HistoryBuilder().user().event("tick", "</event> a & b"));
    expect(prompt.at(-1)).toEqual({
      role: "user",
      content: '<event subkind="tick" source="test">\n&lt;/event> a & b\n</event>',
    });
  });

  test("of switches in a row, as after a fresh start, only the last is told, and the plan that one carries", () => {
    const builder = new HistoryBuilder().user().switchTo("auto").switchTo("plan").switchTo("normal").user();
    expect(text(request(builder)).match(/Mode switched from \w+ to \w+/g)).toEqual([
      "Mode switched from plan to normal",
    ]);
    const planned = new HistoryBuilder().user().switchTo("plan").user("plan it").setPlan().switchTo("normal");
    expect(text(request(planned.switchTo("auto").user())).match(/<approved-plan/g)).toHaveLength(1);
  });

  test("a hidden message between a call and its results is moved after the last result", () => {
    const builder = new HistoryBuilder().user();
    const notice: Message = {
      id: "n",
      role: "event",
      content: "noticed",
      createdAt: 0,
      mode: "normal",
      extra: { event: { subkind: "system_notice", source: "test", data: {} } },
    };
    const read = { name: "read_file", args: { path: "a" }, result: "rows" };
    builder.calls([read, read], () => [notice]).say("done");
    expect(request(builder).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "user",
      "assistant",
    ]);
  });

  test("a change of mode comes directly before the user message, whatever came in between", () => {
    const builder = new HistoryBuilder()
      .user()
      .say()
      .switchTo("plan")
      .event("system_notice", "looked around")
      .user("plan it");
    const contents = request(builder).map(({ content }) => content);
    expect(contents.at(-2)).toContain("[Mode switched from normal to plan.");
    expect(contents.at(-1)).toBe("plan it");
  });

  test("no provider ever sees a hidden role, and every call is followed by its results", () => {
    fc.assert(
      fc.property(histories(60), (builder) => {
        const prompt = request(builder);
        expect(prompt.filter(({ role }) => !["system", "user", "assistant", "tool"].includes(role))).toEqual(
          [],
        );
        expect(pairProblems(prompt)).toEqual([]);
      }),
    );
  });
});

describe("where a plan's text appears", () => {
  const planning = () => new HistoryBuilder().user().switchTo("plan").user("plan it");

  test.each([
    ["the arguments of its set_plan call", () => planning().setPlan()],
    ["the text it came from", () => planning().textPlan()],
    ["the plan argument of exit_plan", () => planning().exitPlanWithText()],
  ])("once while planning: in %s", (_, make) => {
    const builder = make();
    const prompt = request(builder);
    expect(count(prompt, builder.planMark)).toBe(1);
    expect(text(prompt)).not.toContain("<plan version");
  });

  test("in the plan block once its call was trimmed", () => {
    const builder = planning().setPlan();
    const call = builder.messages.findIndex(({ role }) => role === "assistant");
    const left = builder.messages.filter(({ role }, index) => index !== call && role !== "tool");
    expect(render(left, "").at(-1)?.content).toBe(
      `<plan version="1">\n${escapeBlock(builder.plan?.markdown ?? "")}\n</plan>`,
    );
  });

  test("in the plan block when a person edited it; the older version is one line", () => {
    const builder = planning().setPlan();
    const older = builder.planMark;
    const prompt = request(builder.editByHand().user("go on"));
    expect(count(prompt, older)).toBe(0);
    expect(text(prompt)).toContain("Plan version 1, superseded.");
    expect(count(prompt, '<plan version=\\"2\\">')).toBe(1);
    expect(count(prompt, builder.planMark)).toBe(1);
  });

  test("in the plan block when its call holds more than the cap keeps", () => {
    const builder = planning();
    builder.setPlan();
    const plan = builder.messages.find((message) => message.role === "plan");
    if (plan?.role === "plan") plan.extra.plan.markdown = "# Goal\ncut\n[truncated: kept 3 of 9 chars]";
    const prompt = request(builder);
    expect(count(prompt, builder.planMark)).toBe(0);
    expect(count(prompt, "[truncated: kept 3 of 9 chars]")).toBe(1);
  });

  test("an exit_plan that repeats the plan does not repeat it to the model", () => {
    const builder = planning().setPlan().exitPlanRepeating();
    expect(count(request(builder), builder.planMark)).toBe(1);
  });

  test("a refused set_plan keeps its arguments until a later one is installed", () => {
    const builder = planning().refusedSetPlan();
    expect(text(request(builder))).toContain("no plan yet");
    expect(text(request(builder.setPlan()))).not.toContain("no plan yet");
  });

  test("an old version stays as a call that set_plan would accept", () => {
    const prompt = text(request(planning().setPlan().setPlan()));
    expect(prompt).toContain(JSON.stringify(JSON.stringify({ goal: "Plan version 1, superseded." })));
  });

  test("a set_plan that was not run is one line, from its first request on", () => {
    const args = { goal: "never", steps: [{ description: "body?" }] };
    for (const result of ["not run: the plan was submitted", "cancelled: the person said more", "stopped"]) {
      const builder = new HistoryBuilder().user().calls([{ name: "set_plan", args, result, ok: false }]);
      expect(count(request(builder), "body?")).toBe(0);
      expect(text(request(builder))).toContain("Its plan text was not installed.");
    }
  });

  test("a second time in the switch to execution, which stays in place", () => {
    const builder = planning().setPlan().switchTo("normal").user("Approved. Go ahead.");
    const prompt = request(builder);
    expect(count(prompt, builder.planMark)).toBe(2);
    expect(prompt.at(-2)?.content).toContain("The person approved version 1.");
    expect(prompt.at(-2)?.content).toContain(
      `<approved-plan version="1">\n${escapeBlock(builder.plan?.markdown ?? "")}\n</approved-plan>`,
    );
    const later = request(builder.read("a.ts", 10).say());
    expect(later.slice(0, prompt.length)).toEqual(prompt);
  });

  test("never a third time: once after a return to planning, twice after another switch to execution", () => {
    const builder = planning().setPlan().switchTo("normal").user().say().switchTo("plan").user();
    expect(count(request(builder), builder.planMark)).toBe(1);
    builder.say().switchTo("auto").user();
    expect(count(request(builder), builder.planMark)).toBe(2);
  });

  test("a switch that showed an older version keeps one line for it", () => {
    const builder = planning().setPlan().switchTo("normal").user();
    const older = builder.planMark;
    const prompt = request(builder.setPlan());
    expect(count(prompt, older)).toBe(0);
    expect(count(prompt, builder.planMark)).toBe(1);
    expect(text(prompt)).toContain("[Plan version 1 was here");
  });

  test("an update is in its call, and is a block only where the call is gone", () => {
    const builder = planning().setPlan().updatePlan();
    const [mark] = builder.deltaMarks;
    expect(count(request(builder), mark)).toBe(1);
    expect(text(request(builder))).not.toContain("<plan-update");
    const call = builder.messages.findLastIndex(({ role }) => role === "assistant");
    const left = builder.messages.filter((_, index) => index < call || index === call + 1);
    expect(render(left, "").at(-1)?.content).toBe(
      `<plan-update seq="1">\nAdded [s3]: ${mark}\n</plan-update>`,
    );
  });

  test("in any history: once, or twice after a switch to execution; older versions never", {
    tags: "random",
  }, () => {
    fc.assert(
      fc.property(histories(60), (builder) => {
        const prompt = request(builder);
        const shown = count(prompt, builder.planMark);
        if (builder.plan) {
          expect(shown).toBeGreaterThanOrEqual(1);
          // A refused call after the plan still has to be corrected: its arguments stay with the model.
          const refused = text(prompt).split("a plan needs steps").length - 1;
          expect(shown - refused).toBeLessThanOrEqual(builder.mode === "plan" ? 1 : 2);
        }
        const marks = new Set(text(prompt).match(/body\d+\./g));
        marks.delete(builder.planMark ?? "");
        expect([...marks]).toEqual([]);
        for (const mark of builder.deltaMarks) expect(count(prompt, mark)).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: runs(300, 30) },
    );
  });
});

describe("the planning instruction of a caller with its own system message", () => {
  test("is in the current switch only", () => {
    const instruction = "PLANNING MODE. Plan.";
    const builder = new HistoryBuilder().user().switchTo("plan", { instruction }).user();
    expect(count(request(builder), "PLANNING MODE")).toBe(1);
    builder.say().switchTo("normal").user();
    expect(count(request(builder), "PLANNING MODE")).toBe(0);
    builder.say().switchTo("plan", { instruction }).user();
    expect(count(request(builder), "PLANNING MODE")).toBe(1);
  });
});

describe("the [meta] line", () => {
  test("ends the last result of a round", () => {
    const read = { name: "read_file", args: {}, result: "rows" };
    const prompt = request(new HistoryBuilder().user().calls([read, read]).calls([read]));
    expect(prompt.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual([
      "rows",
      "rows\n[meta] 1/12 41%",
      "rows\n[meta] 1/12 41%",
    ]);
  });

  test("has at most ten tokens", () => {
    const builder = new HistoryBuilder().user().calls([{ name: "read_file", args: {}, result: "rows" }]);
    const line = String(request(builder).at(-1)?.content).split("\n").at(-1) ?? "";
    expect(encode(line).length).toBeLessThanOrEqual(10);
  });

  test("is missing where none was made", () => {
    expect(request(new HistoryBuilder().user().exitPlanWithText()).at(-1)?.content).toBe(
      "Plan submitted for review.",
    );
  });
});
