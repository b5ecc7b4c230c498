// Builds the body of POST /api/turn from the state that the phone stores. Pure: the caller provides the turn's id.

import type { ModelRef, ToolProtocol } from "../event.ts";
import type { Message } from "../message.ts";
import type { Mode } from "../mode.ts";
import type { Plan } from "../plan/plan-file.ts";
import type { CountedHistory, StoredTurn, TurnInput, TurnOptions, TurnRequestInput } from "../turn.ts";
import { historyForTurn } from "./history.ts";

export interface TurnParts {
  turnId: string;
  attempt: number;
  /** Id of the last stored durable event of this turn; 0 = none. */
  after: number;
  sandboxId: string;
  mode: Mode;
  /** null = the server's default. */
  model: ModelRef | null;
  /** The whole history before this turn. */
  messages: readonly Message[];
  /** If the person edited it: their text in `markdown`, with the engine's version and hash. */
  plan: Plan | null;
  input: TurnInput;
  /** The value from the last `turn.started`; null = the engine decides. */
  toolProtocol: ToolProtocol | null;
  /** The limit of the turn's cost in US dollars; undefined = none. */
  spendLimit?: number | undefined;
  /** The turn's limits while no one watches it; undefined = the server's. */
  unattended?: TurnOptions["unattended"];
  deliver?: TurnOptions["deliver"];
  mcp?: TurnOptions["mcp"];
  hooks?: TurnOptions["hooks"];
  explore?: TurnOptions["explore"];
  /** How much the model should reason; undefined = the server's setting. */
  effort?: string | undefined;
  /** Where notifications are sent; undefined = none are sent. */
  notify?: TurnOptions["notify"];
  /** The `seen` of the event with the id `after`. */
  seen?: string | undefined;
  /** Id of this installation. */
  client?: string | undefined;
  /** The newest earlier turn that is stored on this device. */
  stored?: StoredTurn | undefined;
  /** The history that the person has decided to continue with. */
  counts?: CountedHistory | undefined;
}

/** A request body as the phone writes it; the engine parses it as `TurnRequest`. */
export type TurnBody = Omit<TurnRequestInput, "messages" | "plan" | "model"> & {
  messages: Message[];
  plan: Plan | null;
  model: ModelRef | null;
};

/**
 * Two attempts of one turn may differ only in `attempt`, `after`, `seen`, `counts` and `notify`; the engine checks
 * this.
 */
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
