// What stays the same while a turn runs in this process (`TurnEnv`), what its first claim fixes for all its runs
// (`TurnContext`), and the tool messages made from that.
import * as z from "zod/mini";
import type { EphemeralEvent, ModelRef } from "../../shared/event.ts";
import type { Steer } from "../../shared/journal.ts";
import type { AssistantMessage, ToolMessage } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { Plan } from "../../shared/plan/plan-file.ts";
import { Decision } from "../../shared/plan/question.ts";
import { Resumption } from "../calls/open-calls.ts";
import type { Outcome } from "../calls/prepared.ts";
import { clip } from "../calls/result-text.ts";
import type { ToolEnv } from "../calls/tool-turn.ts";
import { budgetOf } from "../context/calibration.ts";
import { estimateText } from "../context/estimate.ts";
import type { Deps } from "../deps.ts";
import * as limits from "../limits.ts";
import type { ModelSettings, Provider } from "../model/provider.ts";
import { Rewinding } from "../plan/restore.ts";
import type { Redactors } from "./redactors.ts";

/** How a turn is told to end early. */
export interface TurnSignals {
  /** The person pressed stop. */
  stop: AbortSignal;
  /** Nothing new may begin here: the client has detached, or another attempt runs the turn. */
  detach: AbortSignal;
  /** Whether another process continues the turn if this one leaves it. */
  handsOver: boolean;
  /** Whether this process is to leave the turn before its next round. */
  leaves(): boolean;
  /** Whether somebody sees what the turn does. */
  watched(): boolean;
  /** Milliseconds that other processes have already run it without a client. */
  ranMs: number;
}

/** A piece of text, or the news that the turn waits for the model. */
type SaidAtOnce = Extract<EphemeralEvent, { event: "text.delta" | "reasoning.delta" | "model.wait" }>;
export type Say = (event: SaidAtOnce) => void;

export interface ChosenModel {
  readonly provider: Provider;
  readonly model: ModelSettings;
}

export interface TurnEnv extends ToolEnv, ChosenModel {
  readonly deps: Deps;
  /** The model key that came with the request. */
  readonly apiKey: string | undefined;
  readonly redactors: Redactors;
  /** The HTTP request that runs the turn: errors and the log name it. */
  readonly requestId: string;
  readonly startedAt: number;
  readonly context: TurnContext;
  readonly signals: TurnSignals;
  /**
   * Takes each piece of text as the model writes it, in order with the events that the turn yields. Passing every piece
   * up through the generators would cost more than reading it.
   */
  readonly say: Say;
  /** Steering messages in order; grows while the turn runs, and may hold duplicates. */
  readonly steers: readonly Steer[];
}

export function modelRef({ provider, model }: ChosenModel): ModelRef {
  return { provider: provider.id, id: model.id };
}

/** The model's name in counts and calibrations. */
export function modelName({ provider, model }: ChosenModel): string {
  return `${provider.id}/${model.id}`;
}

/**
 * The sandbox keeps it unchanged. Tool messages are made from it and the journal alone, so every process that runs or
 * ends the turn makes the same ones, whatever its settings.
 */
export const TurnContext = z.object({
  /** Rounds that may be sampled while planning, and otherwise. */
  planRounds: z.number(),
  runRounds: z.number(),
  /** The model's context window, in tokens. */
  contextWindow: z.number(),
  resumes: z.optional(Resumption),
  rewind: z.optional(Rewinding),
  /** The plan after the opening, if one of its steps may be rolled back. */
  plan: z.optional(Plan),
  /** For a turn that begins with answers: see OpenLedger. */
  ledger: z.optional(z.object({ decisions: z.array(Decision), before: z.nullable(Plan) })),
  /**
   * The project's hooks as they were when the turn began. They run if the person has allowed exactly these
   * (ProjectHooks).
   */
  hooks: z.optional(z.unknown()),
  /** Hash of what the posted plan would run; missing if there is none, or if an earlier version began the turn. */
  planContent: z.optional(z.string()),
  /** The version whose rules the turn follows to its end; missing if 0.2.0 began it: see ToolEnv. */
  rules: z.optional(z.literal("0.3")),
  /** Unless the client declined it: see ToolEnv. */
  baseline: z.optional(z.literal(true)),
  /**
   * How many events open the turn, because a later version may make a different number from the same request. Missing
   * if 0.2.0 began it.
   */
  opening: z.optional(z.number()),
});
export type TurnContext = z.infer<typeof TurnContext>;

/** Whether 0.2.0 began the turn, so that it continues as its journal says: see ToolEnv. */
export function isOlder({ rules }: TurnContext): boolean {
  return rules === undefined;
}

/** A pure function of the journal, so every process makes the same message at any time. */
export function toolMessage(
  turn: { context: TurnContext; mode: Mode; round: number },
  message: AssistantMessage,
  call: { id: string; name: string },
  outcome: Outcome,
): ToolMessage {
  const { context, mode, round } = turn;
  // The size recorded with the request, plus what was added since.
  const known = message.calibration ?? { model: "", scale: 1 };
  const added = estimateText(message.content) + estimateText(outcome.text);
  return {
    id: `${call.id}.result`.slice(0, 300),
    role: "tool",
    content: clip(outcome.text, limits.maxToolContentBytes),
    createdAt: outcome.at ?? message.createdAt,
    mode,
    toolCallId: call.id,
    name: call.name,
    ok: outcome.ok,
    ...(outcome.noMeta
      ? {}
      : {
          meta: {
            round,
            maxRounds: mode === "plan" ? context.planRounds : context.runRounds,
            contextTokens: (message.contextTokens ?? 0) + Math.round(added * known.scale),
            budgetTokens: budgetOf(known, context.contextWindow),
            ...(outcome.facts ? { facts: outcome.facts } : {}),
          },
        }),
  };
}
