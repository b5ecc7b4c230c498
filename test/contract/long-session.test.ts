import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SandboxAnswer } from "../../shared/api.ts";
import type { TurnEvent } from "../../shared/event.ts";
import { historyForTurn } from "../../shared/session/history.ts";
import type { TurnRequestInput } from "../../shared/turn.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { StrictWindow } from "../fakes/strict-window.ts";
import { Conversation, dataOf } from "../harness/conversation.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { runs } from "../harness/runs.ts";
import { ask, post } from "./http/request.ts";

const windowTokens = 32_768;
const planMark = "Carry every part over, mark 7f3a.";
const stepMark = (n: number) => `Look after part ${n}, mark 9c.`;

/**
 * The model's work in its n-th round: reading, searching, writing, numbers (which take many tokens), words,
 * the plan.
 */
function work(n: number): ModelReply {
  if (n % 90 === 0) return { text: `Part ${n / 90} is done.` };
  if (n % 70 === 0)
    return { calls: [{ name: "update_plan", args: { addSteps: [{ description: stepMark(n) }] } }] };
  switch (n % 5) {
    case 0:
      return { calls: [{ name: "run_command", args: { command: `seq ${n}000 ${n}${n % 2 ? 999 : 300}` } }] };
    case 1:
      return {
        calls: [
          { name: "read_file", args: { path: "README.md" } },
          { name: "list_files", args: {} },
        ],
      };
    case 2:
      return { calls: [{ name: "search_files", args: { pattern: "e", context: 3 } }] };
    case 3:
      return {
        text: "I write it down.",
        calls: [
          {
            name: "write_file",
            args: { path: `out/${n}.txt`, content: `日本語 ${n}\n`.repeat(n % 400), base: null },
          },
        ],
      };
    default:
      return { calls: [{ name: "run_command", args: { command: "cat package.json; git log | head -40" } }] };
  }
}

const planning: ModelReply[] = [
  { calls: [{ name: "set_plan", args: { goal: planMark, steps: [{ description: "All of it" }] } }] },
  { calls: [{ name: "exit_plan", args: {} }] },
];

describe("a session of many rounds in a window of 32k tokens that refuses longer prompts", () => {
  let product: Product | undefined;
  let model: ModelServer | undefined;
  beforeAll(async () => {
    model = await startModelServer([{ text: "nothing scripted" }]);
    const listed = {
      id: "strict",
      baseUrl: model.url,
      models: [
        { id: "known", contextWindow: windowTokens },
        { id: "mistaken", contextWindow: 200_000 },
        { id: "text", contextWindow: windowTokens, toolProtocol: "text" },
      ],
    };
    product = await startProduct({
      env: { OPENAI_BASE_URL: model.url, HANDRAIL_MODEL: "m", HANDRAIL_PROVIDERS: JSON.stringify([listed]) },
    });
  });
  afterAll(async () => {
    await product?.close();
    await model?.close();
  });

  /** `named`: refusals state the numbers of tokens. HANDRAIL_LONG_ROUNDS changes the number of rounds. */
  for (const run of [
    { id: "known", rounds: runs(Number(process.env.HANDRAIL_LONG_ROUNDS ?? 500), 80, 150), named: true },
    { id: "mistaken", rounds: 60, named: true, tags: "long" },
    { id: "mistaken", rounds: 60, named: false, tags: "long" },
    { id: "text", rounds: 100, named: true, tags: "long" },
  ])
    test(`${run.id}, named: ${run.named}, ${run.rounds} rounds: it never fails, and the plan is whole at the end`, {
      tags: run.tags ?? "seeds",
      timeout: 600_000,
    }, async () => {
      if (!product || !model) throw new Error("not started");
      const { json } = await ask(product, "/api/sandboxes", post({ source: { sample: true } }));
      const talk = new Conversation(product, SandboxAnswer.parse(json).sandboxId, "plan");
      const window = new StrictWindow(windowTokens, run.named);
      let worked = 0;
      model.play((body) =>
        window.answer(body, () => {
          const planned = body.messages.filter(({ role }) => role === "assistant").length;
          if (worked === 0 && talk.mode === "plan" && planned < planning.length)
            return toForm(planning[planned]);
          worked += 1;
          return toForm(worked > run.rounds ? { text: "All done." } : work(worked));
        }),
      );
      const toForm = (reply: ModelReply = {}) => (run.id === "text" ? inText(reply) : reply);
      const turn = async (input: TurnRequestInput["input"]): Promise<TurnEvent[]> => {
        const events = await talk.turn(input, {
          model: { provider: "strict", id: run.id },
          messages: historyForTurn(talk.messages),
        });
        expect(events.at(-1)).toMatchObject({ event: "turn.done" });
        return events;
      };

      await turn({ type: "message", text: "Carry it over" });
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      await turn({ type: "approve", planVersion, planHash, mode: "auto" });
      while (worked <= run.rounds) {
        const { reason } = dataOf(talk.events, "turn.done");
        await turn(reason === "continue" ? { type: "continue" } : { type: "message", text: "Go on" });
      }

      // The engine learns from a refusal, so later requests fit.
      expect(window.refused).toBeLessThanOrEqual(3);
      expect(window.mostTokens).toBeGreaterThan(windowTokens * 0.4);
      const prompt = JSON.stringify(model.requests.at(-1)?.body.messages);
      expect(prompt.split(planMark)).toHaveLength(2);
      for (let n = 70; n <= run.rounds; n += 70) if (n % 90 !== 0) expect(prompt).toContain(stepMark(n));
      expect(prompt).toContain("Carry it over");
    });
});

/** The same reply, written by a model without native calls. */
function inText({ text = "", calls = [], ...reply }: ModelReply): ModelReply {
  const fences = calls.map(
    ({ name, args }) => `\n\n\`\`\`tool\n${JSON.stringify({ tool: name, args })}\n\`\`\``,
  );
  return { ...reply, text: text + fences.join("") };
}
