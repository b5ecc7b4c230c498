// Whole turns over each of the three APIs, and one session that switches between them. The servers refuse
// what the real ones do.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import type { ModelScript } from "../../fakes/model-server.ts";
import { refusalOf } from "../../fakes/strict-wires.ts";
import { dataOf } from "../../harness/conversation.ts";
import { exitPlan, setPlan, step, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const models = { chat: "thinking", responses: "gpt-5.4", messages: "claude-sonnet-5" };
type Wire = keyof typeof models;
const wires: Wire[] = ["chat", "responses", "messages"];
const at = (wire: Wire) => ({ model: { provider: "wires", id: models[wire] } });

export function wiresProvider(baseUrl: string): unknown {
  const price = { input: 1_000, cached: 100, output: 1_000 };
  const entries = wires.map((wire) => ({ id: models[wire], wire, contextWindow: 64_000, price }));
  return { id: "wires", baseUrl, keyVariable: "OPENAI_API_KEY", models: entries };
}

/** Plays `replies`, and records what the server had to refuse. */
function strictly(
  replies: (n: number, model: string) => ModelReply,
  refused: string[],
): ModelScript & object {
  let answers = 0;
  return (body, _, request) => {
    const refusal = refusalOf(request);
    if (refusal) refused.push(refusal.words);
    else answers += 1;
    return refusal ?? replies(answers, body.model);
  };
}

const directions = wires.flatMap((from) => wires.flatMap((to) => (from === to ? [] : [{ from, to }])));

export function describeWires(stage: Stage): void {
  const lastSent = () => {
    const { wire, body } = stage.model().requests.at(-1) ?? {};
    return { wire, text: JSON.stringify(body) };
  };

  describe("provider APIs", () => {
    test.each(wires)("a plan is made, approved and carried out over %s", async (wire) => {
      const refused: string[] = [];
      // Writing to Anthropic's cache costs a quarter more.
      const written = wire === "messages" ? { cache_creation_input_tokens: 400 } : {};
      const usage = { prompt_tokens: wire === "messages" ? 600 : 1_000, completion_tokens: 100, ...written };
      const script: ModelReply[] = [
        { reasoning: "A plan.", calls: [setPlan()] },
        { reasoning: "Submit.", text: "There it is.", calls: [exitPlan], usage },
        { reasoning: "Write.", calls: [write("note.txt"), { name: "list_files", args: {} }] },
        { reasoning: "Done.", calls: [step("s1", "done", "written")] },
        { text: "Written." },
      ];
      const talk = await stage.open(
        strictly((n) => script[n - 1] ?? { text: "?" }, refused),
        "plan",
      );
      await talk.turn({ type: "message", text: "Plan it" }, at(wire));
      expect(dataOf(talk.events, "turn.done").reason).toBe("proposed");
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      await talk.turn({ type: "approve", planVersion, planHash, mode: "normal" }, at(wire));
      expect(refused).toEqual([]);
      expect(await stage.file(talk, "note.txt")).toBe("x\n");
      expect(talk.plan?.steps).toMatchObject([{ status: "done" }]);
      expect(talk.messages.findLast(({ role }) => role === "assistant")).toMatchObject({
        content: "Written.",
      });
      const costs = talk.messages.flatMap((message) =>
        message.role === "assistant" ? [message.usage?.cost] : [],
      );
      expect(costs).toEqual([0.12, wire === "messages" ? 1.2 : 1.1, 0.12, 0.12, 0.12]);
      expect(talk.events.some(({ event }) => event === "reasoning.delta")).toBe(true);
    });

    test.each(directions)("the model may change from $from to $to and back", async ({ from, to }) => {
      const refused: string[] = [];
      const replies = (n: number, model: string): ModelReply =>
        n % 2 === 0
          ? { reasoning: `end ${n} of ${model}`, text: `answer ${n}` }
          : { reasoning: `thought ${n} of ${model}`, calls: [{ name: "list_files", args: {} }] };
      const talk = await stage.open(strictly(replies, refused));
      await talk.turn({ type: "message", text: "one" }, at(from));
      await talk.turn({ type: "message", text: "two" }, at(to));
      const second = lastSent();
      expect(second.text).toContain(`thought 3 of ${models[to]}`);
      expect(second.text).not.toContain(`of ${models[from]}`);
      await talk.turn({ type: "message", text: "three" }, at(from));
      const third = lastSent();
      for (const n of [1, 5]) expect(third.text).toContain(`thought ${n} of ${models[from]}`);
      expect(third.text).not.toContain(`of ${models[to]}`);
      expect([second.wire, third.wire]).toEqual(
        [to, from].map((wire) => (wire === "chat" ? "completions" : wire)),
      );
      expect(refused).toEqual([]);
      expect(talk.messages.at(-1)).toMatchObject({ role: "assistant", content: "answer 6" });
    });
  });
}
