// A model whose n-th answer in a conversation is always the same, however often it is requested.
import type { Provider } from "../../functions/model/provider.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import { framedStream } from "../fakes/model-stream.ts";
import type { Problem } from "./problem.ts";
import { triesOfOneSampling } from "./story.ts";
import { historyProblem, type WireMessage } from "./wire-history.ts";

export type Script = readonly ModelReply[];

export class ScriptedMind {
  /** The number of answers that were begun, each of which costs money. */
  asked = 0;
  /** The number of samplings whose every try was lost in transit. */
  givenUp = 0;
  readonly problems: Problem[] = [];
  readonly #script: Script;
  /** The number of consecutive tries that were lost. */
  #lost = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  get provider(): Provider {
    return {
      id: "default",
      label: "Scripted",
      baseUrl: "http://model.test/v1",
      models: [{ id: "scripted", contextWindow: 128_000, toolProtocol: "native" }],
      demo: false,
    };
  }

  /** Records that the network lost a request, or its answer before the end. */
  tryLost(): void {
    this.#lost += 1;
    if (this.#lost % triesOfOneSampling === 0) this.givenUp += 1;
  }

  /**
   * Records that an answer arrived whole or that its client died. Either way, the next request is a first
   * try.
   */
  heardOut(): void {
    this.#lost = 0;
  }

  answer(body: { messages: WireMessage[] }): Response {
    this.asked += 1;
    const problem = historyProblem(body.messages);
    if (problem !== undefined) this.problems.push({ rule: "the history is invalid", text: problem });
    const n = body.messages.filter(({ role }) => role === "assistant").length;
    const reply = this.#script[n] ?? { text: "There is nothing left to do." };
    return new Response(new Uint8Array(framedStream({ deltaChars: 40, ...reply }, `r${n}`)), {
      headers: { "content-type": "text/event-stream" },
    });
  }
}
