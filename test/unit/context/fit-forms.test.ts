import fc from "fast-check";
import { expect, test } from "vitest";
import { fitPrompt } from "../../../functions/compaction/fit-prompt.ts";
import type { PromptMessage } from "../../../functions/model/prompt.ts";
import { toTextForm } from "../../../functions/model/text-calls/text-form.ts";
import type { AssistantMessage, Message } from "../../../shared/message.ts";
import { approvedPlanBlock, deltaBlock, planBlock, proposedPlanBlock } from "../../../shared/plan/blocks.ts";
import { runs } from "../../harness/runs.ts";
import { histories, longWork } from "./history-arbitrary.ts";
import type { HistoryBuilder } from "./history-builder.ts";
import { pairProblems } from "./pair-problems.ts";
import { model, roomFor } from "./room.ts";

const windowTokens = 9_000;
const slow = 60_000;

/**
 * A history whose answers have a provider's token counts. The scale varies, and now and then a refusal
 * reveals a smaller window.
 */
const counted = fc
  .tuple(
    fc.oneof(histories(100), longWork(100)),
    fc.array(fc.double({ min: 0.7, max: 1.5, noNaN: true }), { minLength: 1, maxLength: 6 }),
    fc.constantFrom(undefined, 8_000, 7_500),
  )
  .map(([builder, scales, window]) => {
    let answers = 0;
    for (const message of builder.messages) {
      if (message.role !== "assistant") continue;
      const scale = scales[Math.floor(answers / 7) % scales.length] ?? 1;
      message.calibration = { model, scale, ...(window && answers > 10 ? { window } : {}) };
      if (answers % 2 === 0) thinks(message, answers);
      answers += 1;
    }
    return builder;
  });

/** Gives an answer reasoning that is sent back to the model: as a field, as details, and with its calls. */
function thinks(message: AssistantMessage, n: number): void {
  message.reasoning = "hm ".repeat(20 * (n % 30));
  const signature = { google: { thought_signature: "s".repeat(n % 200) } };
  message.thought = {
    model,
    field: "reasoning_content",
    ...(n % 4 === 0 ? { details: [{ type: "reasoning.text", text: message.reasoning }] } : {}),
    calls: Object.fromEntries((message.toolCalls ?? []).map(({ id }) => [id, signature])),
  };
}

/**
 * Whether the newest plan is in the prompt, complete and unchanged: in the call that installed it, or in a
 * block.
 */
function showsPlan({ plan, messages }: HistoryBuilder, prompt: readonly PromptMessage[]): boolean {
  if (!plan || plan.markdown.trim() === "") return true;
  const installed = messages.findLast((message) => message.role === "plan");
  const { version, markdown } = installed?.role === "plan" ? installed.extra.plan : plan;
  const blocks = [planBlock, approvedPlanBlock, proposedPlanBlock].map((block) => block(version, markdown));
  const origin = installed?.id.replace(/^plan:/, "");
  return prompt.some(
    (message) =>
      blocks.some((block) => message.content.includes(block)) ||
      (message.role === "assistant" &&
        (message.toolCalls?.some((call) => call.id === origin && sameCall(messages, call)) ||
          messages.some((one) => one.id === origin && one.content === message.content))),
  );
}

function showsDeltas({ messages }: HistoryBuilder, prompt: readonly PromptMessage[]): boolean {
  const newest = messages.findLastIndex((message) => message.role === "plan");
  return messages.slice(newest + 1).every((message) => {
    if (message.role !== "event" || message.extra.event.subkind !== "plan_delta") return true;
    const { seq, toolCallId } = message.extra.event.data;
    const block = deltaBlock(Number(seq), message.content);
    return prompt.some(
      (one) =>
        one.content.includes(block) ||
        (one.role === "assistant" &&
          one.toolCalls?.some((call) => call.id === toolCallId && sameCall(messages, call))),
    );
  });
}

function showsLatestAnswers({ messages }: HistoryBuilder, prompt: readonly PromptMessage[]): boolean {
  const latest = messages.findLast((message) => message.role === "tool" && message.name === "ask_user");
  if (latest?.role !== "tool") return true;
  return prompt.some(
    (one) =>
      one.role === "tool" && one.toolCallId === latest.toolCallId && one.content.includes(latest.content),
  );
}

function sameCall(
  messages: readonly Message[],
  { id, arguments: json }: { id: string; arguments: string },
): boolean {
  return messages.some(
    (message) =>
      message.role === "assistant" &&
      message.toolCalls?.some((call) => call.id === id && call.arguments === json),
  );
}

/** Compares the fences of a message in text form with the result blocks directly after it. */
function textProblems(prompt: readonly PromptMessage[]): string[] {
  return toTextForm(prompt, []).flatMap((message, at, all) => {
    if (message.role === "tool") return ["a tool role"];
    const fences = message.role === "assistant" ? message.content.split("```tool\n{").length - 1 : 0;
    const next = all[at + 1];
    const blocks = next?.role === "user" ? (next.content.match(/^\[TOOL_RESULT /gm)?.length ?? 0) : 0;
    return message.role !== "assistant" || fences === blocks ? [] : [`${fences} calls, ${blocks} results`];
  });
}

test("any history with any provider counts fits: in both forms, its plan and updates byte for byte", {
  tags: "random",
  timeout: slow,
}, () => {
  fc.assert(
    fc.property(counted, (builder) => {
      const room = roomFor(builder.messages, windowTokens);
      const { prompt, tokens } = fitPrompt(builder.messages, "system", room);
      expect(tokens).toBeLessThanOrEqual(room.tokens(room.now));
      expect(pairProblems(prompt)).toEqual([]);
      expect(textProblems(prompt)).toEqual([]);
      expect(showsPlan(builder, prompt)).toBe(true);
      expect(showsDeltas(builder, prompt)).toBe(true);
      expect(prompt[0]).toEqual({ role: "system", content: "system" });
      expect(prompt[1]).toEqual({ role: "user", content: "first" });
      expect(showsLatestAnswers(builder, prompt)).toBe(true);
    }),
    { numRuns: runs(120, 12) },
  );
});

test("trimming twice equals trimming once, whatever was known when", {
  tags: "random",
  timeout: slow,
}, () => {
  fc.assert(
    fc.property(counted, (builder) => {
      const room = roomFor(builder.messages, windowTokens);
      const once = fitPrompt(builder.messages, "system", room);
      const twice = fitPrompt(once.history, "system", room);
      expect(twice.prompt).toEqual(once.prompt);
    }),
    { numRuns: runs(120, 12) },
  );
});
