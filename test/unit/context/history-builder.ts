// Builds histories for tests in the way the engine does: each act adds the messages that it adds in a
// session.

import { modeSwitchText } from "../../../functions/context/mode-switch.ts";
import { planMessageId } from "../../../functions/context/plan-view.ts";
import type { AssistantMessage, EventMessage, Message, PlanMessage } from "../../../shared/message.ts";
import type { Mode } from "../../../shared/mode.ts";
import { deltaText } from "../../../shared/plan/blocks.ts";
import type { Plan } from "../../../shared/plan/plan-file.ts";
import { installPlan } from "../../../shared/plan/set-plan.ts";
import { applyUpdate } from "../../../shared/plan/update-plan.ts";
import { planText, proposedText } from "../../../shared/plan/written-plan.ts";

type PlanMade = Extract<ReturnType<typeof planText>, { ok: true }>;

/**
 * Every plan has its own mark, `bodyN.`, and every update `deltaN.`, so that a test can count them in a
 * prompt.
 */
export class HistoryBuilder {
  readonly messages: Message[] = [];
  readonly deltaMarks: string[] = [];
  mode: Mode = "normal";
  plan: Plan | null = null;
  planMark: string | undefined;
  #count = 0;

  user(content = "go on"): this {
    this.messages.push({ ...this.#common(), role: "user", content });
    return this;
  }

  say(content = "said"): this {
    this.#assistant(content);
    return this;
  }

  /** A summary of everything so far, written by the model. */
  summary(text = "sum <mark> & more"): this {
    return this.event("system_notice", text, { through: this.messages.at(-1)?.id }, "model_summary");
  }

  event(subkind: string, content = "happened", data: Record<string, unknown> = {}, source = "test"): this {
    this.messages.push(this.#event(subkind, content, data, source));
    return this;
  }

  /** One round of calls with their results; `betweens` come before the results, as hidden messages do. */
  calls(
    calls: { name: string; args: unknown; result: string; ok?: boolean }[],
    betweens: (ids: string[]) => Message[] = () => [],
    text = "",
  ): this {
    const message = this.#assistant(
      text,
      calls.map(({ name, args }) => ({ name, arguments: JSON.stringify(args) })),
    );
    const ids = (message.toolCalls ?? []).map((call) => call.id);
    this.messages.push(...betweens(ids));
    calls.forEach(({ name, result, ok = true }, index) => {
      this.messages.push({
        ...this.#common(),
        role: "tool",
        content: result,
        toolCallId: ids[index] ?? "",
        name,
        ok,
        meta: { round: 1, maxRounds: 12, contextTokens: 41_000, budgetTokens: 100_000 },
      });
    });
    return this;
  }

  read(path: string, chars: number): this {
    const rows = "1abc|const x = 1;\n".repeat(Math.ceil(chars / 18)).slice(0, chars);
    return this.calls([
      { name: "read_file", args: { path }, result: `[${path} @v1 lines 1-9 of 9]\n${rows}` },
    ]);
  }

  setPlan(): this {
    const args = { goal: this.#newMark(), steps: [{ description: "one" }, { description: "two" }] };
    return this.calls([{ name: "set_plan", args, result: "Plan installed." }], ([id = ""]) => [
      this.#install(planText(args), planMessageId(id)),
    ]);
  }

  refusedSetPlan(): this {
    const args = { goal: this.planMark ?? "no plan yet" };
    return this.calls([{ name: "set_plan", args, result: "error: a plan needs steps", ok: false }]);
  }

  /** A plan as the text of a message that `exit_plan` submits. */
  textPlan(): this {
    const text = `${this.#newMark()}\n\n1. one\n2. two`;
    const message = this.#assistant(text, [{ name: "exit_plan", arguments: "{}" }]);
    this.messages.push(this.#install(proposedText(text), planMessageId(message.id)));
    return this.#exited(message);
  }

  exitPlanWithText(): this {
    const plan = `${this.#newMark()}\n\n1. one`;
    const message = this.#assistant("", [{ name: "exit_plan", arguments: JSON.stringify({ plan }) }]);
    this.messages.push(this.#install(proposedText(plan), planMessageId(message.toolCalls?.[0]?.id ?? "")));
    return this.#exited(message);
  }

  /** The model submits the plan that is already active once more. */
  exitPlanRepeating(): this {
    const plan = this.plan?.markdown ?? "";
    return this.#exited(this.#assistant("", [{ name: "exit_plan", arguments: JSON.stringify({ plan }) }]));
  }

  editByHand(): this {
    const before = this.plan?.version ?? 0;
    const made = planText({ markdown: `# Goal\n${this.#newMark()}\n\n# Plan\n1. [s1] one` });
    this.messages.push(this.#install(made, `turn${this.#next()}.edit`, "person"));
    return this.event("system_notice", `The person edited version ${before}.`);
  }

  updatePlan(): this {
    if (!this.plan) return this;
    const mark = `delta${this.#next()}.`;
    const args = { addSteps: [{ description: mark }] };
    const applied = applyUpdate(this.plan, args);
    if (!applied.ok) throw new Error(applied.problem);
    const { plan, delta } = applied;
    this.plan = plan;
    this.deltaMarks.push(mark);
    return this.calls([{ name: "update_plan", args, result: "Plan updated." }], ([toolCallId]) => [
      this.#event("plan_delta", deltaText(delta), { seq: delta.seq, version: plan.version, toolCallId }),
    ]);
  }

  ask(answer: string): this {
    const args = { questions: [{ id: "q1", label: "Way", prompt: "Which?", type: "free_text" }] };
    return this.calls([{ name: "ask_user", args, result: answer }]);
  }

  switchTo(to: Mode, { approved = true, instruction = undefined as string | undefined } = {}): this {
    const from = this.mode;
    if (from === to) return this;
    const carries = from === "plan" && this.plan !== null;
    const content = modeSwitchText({
      from,
      to,
      tools: ["read_file"],
      plan: this.plan,
      approved,
      instruction,
    });
    this.mode = to;
    return this.event("mode_switch", content, {
      from,
      to,
      ...(carries ? { planVersion: this.plan?.version, approved } : {}),
    });
  }

  #exited(message: AssistantMessage): this {
    this.messages.push({
      ...this.#common(),
      role: "tool",
      content: "Plan submitted for review.",
      toolCallId: message.toolCalls?.[0]?.id ?? "",
      name: "exit_plan",
      ok: true,
    });
    return this;
  }

  #assistant(content: string, calls: { name: string; arguments: string }[] = []): AssistantMessage {
    const message: AssistantMessage = {
      ...this.#common(),
      role: "assistant",
      content,
      finish: calls.length > 0 ? "tool_calls" : "stop",
      ...(calls.length > 0
        ? { toolCalls: calls.map((call) => ({ ...call, id: `call${this.#next()}` })) }
        : {}),
    };
    this.messages.push(message);
    return message;
  }

  #install(
    made: ReturnType<typeof planText> | PlanMade,
    id: string,
    source: Plan["source"] = "model",
  ): PlanMessage {
    if (!made.ok) throw new Error(made.problem);
    this.plan = installPlan(this.plan, { ...made, hash: id, source });
    this.deltaMarks.length = 0;
    return { ...this.#common(), id, role: "plan", content: "", extra: { plan: this.plan } };
  }

  #event(subkind: string, content: string, data: Record<string, unknown>, source = "test"): EventMessage {
    return { ...this.#common(), role: "event", content, extra: { event: { subkind, source, data } } };
  }

  #newMark(): string {
    this.planMark = `body${this.#next()}.`;
    return this.planMark;
  }

  #common(): { id: string; createdAt: number; mode: Mode } {
    return { id: `m${this.#next()}`, createdAt: 0, mode: this.mode };
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }
}
