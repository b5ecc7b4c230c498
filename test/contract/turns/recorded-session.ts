// The lines of the recorded session (test/fixtures/recorded), and a person who answers its model.
import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { SandboxAnswer } from "../../../shared/api.ts";
import type { TurnEvent } from "../../../shared/event.ts";
import type { TurnRequestInput } from "../../../shared/turn.ts";
import type { ModelReply, ScriptedCall } from "../../fakes/model-reply.ts";
import type { ModelServer } from "../../fakes/model-server.ts";
import { Conversation, dataOf } from "../../harness/conversation.ts";
import type { Product } from "../../harness/product.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { ask, post } from "../http/request.ts";
import { stop } from "../resume/turn-requests.ts";

const Call = z.object({ name: z.string(), args: z.record(z.string(), z.unknown()) });
const Line = z.object({
  person: z.optional(z.string()),
  model: z.optional(z.object({ text: z.string(), calls: z.optional(z.array(Call)) })),
});
const lines = readFileSync(new URL("../../fixtures/recorded/session.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => z.parse(Line, JSON.parse(line)));

/** The text that the person typed in a line. Lines count from 0. */
export const typed = (line: number): string => lines[line]?.person ?? "";

/** The model's answers in these lines, including both ends. */
export const answered = (from: number, to = from): ModelReply[] =>
  lines
    .slice(from, to + 1)
    .flatMap(({ model }) => (model ? [{ text: model.text, calls: model.calls ?? [] }] : []));

/** The same answers with only the calls that `keep` accepts. An answer with nothing left is dropped. */
export const withCalls = (replies: ModelReply[], keep: (call: ScriptedCall) => boolean): ModelReply[] =>
  replies
    .map((reply) => ({ ...reply, calls: (reply.calls ?? []).filter(keep) }))
    .filter(({ calls }) => calls.length > 0);

type PermissionData = Extract<TurnEvent, { event: "permission" }>["data"];

export class RecordedSession {
  readonly talk: Conversation;
  /** The permissions that the person was asked for, with their answers. */
  readonly asked: string[] = [];
  readonly #product: Product;
  readonly #model: ModelServer;

  private constructor(talk: Conversation, product: Product, model: ModelServer) {
    this.talk = talk;
    this.#product = product;
    this.#model = model;
  }

  /** `folder`: a folder below the one that the product serves. */
  static async open(product: Product, model: ModelServer, folder: string): Promise<RecordedSession> {
    const { json } = await ask(product, "/api/sandboxes", post({ source: { path: folder } }));
    const { sandboxId } = SandboxAnswer.parse(json);
    return new RecordedSession(new Conversation(product, sandboxId, "plan"), product, model);
  }

  /**
   * Sends one input and answers all permissions that it asks for: the person denies what leaves the
   * repository and allows the rest once.
   */
  async turn(
    input: TurnRequestInput["input"],
    replies: ModelReply[],
    more: Partial<TurnRequestInput> = {},
  ): Promise<TurnEvent[]> {
    this.#model.play([...replies, { text: "Nothing more." }]);
    let events = await this.talk.turn(input, more);
    for (;;) {
      // The edge asks for all permissions of a round together.
      const [first, ...others] = events.flatMap((event) =>
        event.event === "permission" ? [this.#decide(event.data)] : [],
      );
      if (!first) return events;
      events = await this.talk.turn({ type: "permit", ...first, others });
    }
  }

  #decide({ toolCallId, risk, arguments: json }: PermissionData) {
    const leaves = /git worktree add|git push/.test(json);
    this.asked.push(`${risk}: ${leaves ? "denied" : "allowed"}`);
    return { toolCallId, decision: leaves ? ("deny" as const) : ("once" as const) };
  }

  approval(): TurnRequestInput["input"] {
    const { planVersion, planHash } = dataOf(this.talk.events, "proposal");
    return { type: "approve", planVersion, planHash, mode: "normal" };
  }

  /** Sends one input. The person stops its turn while the model writes its next answer. */
  async stopped(input: TurnRequestInput["input"], replies: ModelReply[]): Promise<void> {
    const silent: ModelReply = { text: "", hang: true };
    this.#model.play([...replies, silent]);
    const asked = this.#model.requests.length;
    const body = this.talk.body(input);
    const running = collect(eventsOf(await postTurn(this.#product, body)));
    await this.#model.request(asked + replies.length + 1);
    await stop(this.#product, { sandboxId: this.talk.sandboxId, turnId: body.turnId });
    for (const event of await running) this.talk.keep(event);
  }
}
