// Builds the body of POST /api/turn out of what the phone keeps. Pure: the turn's id comes in.

import type { ModelRef, ToolProtocol } from "../event.ts";
import type { Message } from "../message.ts";
import type { Mode } from "../mode.ts";
import type { Plan } from "../plan/plan-file.ts";
import type { CountedHistory, StoredTurn, TurnInput, TurnOptions, TurnRequestInput } from "../turn.ts";
import { historyForTurn } from "./history.ts";

export interface TurnParts {
  turnId: string;
  attempt: number;
  /** Id of the last durable event of this turn that is stored; 0 = none. */
  after: number;
  sandboxId: string;
  mode: Mode;
  /** null = the server's default. */
  model: ModelRef | null;
  /** The whole history before this turn. */
  messages: readonly Message[];
  /** With the person's text in `markdown` and the engine's version and hash if it was edited by hand. */
  plan: Plan | null;
  input: TurnInput;
  /** What the last `turn.started` said; null = let the engine find out. */
  toolProtocol: ToolProtocol | null;
  /** US dollars that the turn may cost; undefined = no cap. */
  spendLimit?: number | undefined;
  /** What it may use while nobody watches it; undefined = as the server says. */
  unattended?: TurnOptions["unattended"];
  deliver?: TurnOptions["deliver"];
  mcp?: TurnOptions["mcp"];
  hooks?: TurnOptions["hooks"];
  explore?: TurnOptions["explore"];
  /** How much the model reasons; undefined = as the server has it. */
  effort?: string | undefined;
  /** Whom to call; undefined = nobody. */
  notify?: TurnOptions["notify"];
  /** The `seen` of the event `after`. */
  seen?: string | undefined;
  /** Id of this installation. */
  client?: string | undefined;
  /** The newest earlier turn that is stored here. */
  stored?: StoredTurn | undefined;
  /** Which history the person has decided for. */
  counts?: CountedHistory | undefined;
}

/** A request's body as the phone writes it; the engine reads it as `TurnRequest`. */
export type TurnBody = Omit<TurnRequestInput, "messages" | "plan" | "model"> & {
  messages: Message[];
  plan: Plan | null;
  model: ModelRef | null;
};

/** Two attempts of one turn differ in `attempt`, `after`, `seen`, `counts` and `notify` alone: the engine checks the rest. */
export function buildTurnRequest(parts: TurnParts): TurnBody {
  const { turnId, attempt, after, sandboxId, mode, model, messages, plan, input, toolProtocol } = parts;
  const {
    spendLimit,
    unattended,
    deliver,
    mcp,
    hooks,
    explore,
    effort,
    notify,
    seen,
    client,
    stored,
    counts,
  } = parts;
  return {
    protocol: 1,
    turnId,
    attempt,
    after,
    ...(seen !== undefined && { seen }),
    ...(client !== undefined && { client }),
    ...(stored !== undefined && { stored }),
    ...(counts !== undefined && { counts }),
    sandboxId,
    mode,
    model,
    messages: historyForTurn(messages),
    plan,
    input,
    options: {
      ...(toolProtocol === null ? {} : { toolProtocol }),
      ...(spendLimit === undefined ? {} : { spendLimit }),
      ...(unattended === undefined ? {} : { unattended }),
      ...(effort === undefined ? {} : { effort }),
      ...(deliver === undefined ? {} : { deliver }),
      ...(mcp === undefined ? {} : { mcp }),
      ...(hooks === undefined ? {} : { hooks }),
      ...(explore === undefined ? {} : { explore }),
      ...(notify === undefined ? {} : { notify }),
    },
  };
}
