// What an input does to a turn before the model is asked: shapes that opening and inputs share.
import type { DurableDraft } from "../../shared/event.ts";
import type { Permit } from "../../shared/grant.ts";
import type { Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { RunMode } from "../../shared/turn.ts";
import type { Resumption } from "../calls/open-calls.ts";
import type { OpenLedger } from "../calls/tool-turn.ts";
import type { Rewinding } from "../plan/restore.ts";

/** What to do once the opening is journaled and before the model is asked. */
export type Prelude =
  | { kind: "none" }
  | { kind: "ends" }
  | { kind: "close"; as: "done" | "abandoned" }
  | { kind: "rewind"; snapshot: string; rewind: Rewinding }
  | { kind: "resume"; resumes: Resumption };

/** An input, read against the history: what it adds, and what it does to plan and mode. */
export interface InputEffect {
  /** Mode of the turn; absent = that of the request. */
  mode?: Mode;
  /** Plan file after the input; absent = unchanged. */
  plan?: Plan;
  reason?: string;
  approved?: boolean;
  /** Messages of the input itself. */
  messages: Message[];
  /** Events after those messages. */
  after?: DurableDraft[];
  /** Ordinals of open calls that this input resolves by itself or keeps open. */
  keeps?: readonly number[];
  resolves?: string;
  /** The call that a permit is about, to be found in the sandbox's journal. */
  permits?: Permit;
  alsoPermits?: Permit[];
  prelude?: Prelude;
  ledger?: OpenLedger;
  run?: RunMode;
}
