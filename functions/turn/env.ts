// What is fixed for as long as a turn runs here.
import type { EphemeralEvent, ModelRef } from "../../shared/event.ts";
import type { Steer } from "../../shared/journal.ts";
import type { ToolEnv } from "../calls/tool-turn.ts";
import type { Deps } from "../deps.ts";
import type { ModelSettings, Provider } from "../model/provider.ts";
import type { Redactors } from "./redactors.ts";
import type { TurnContext } from "./turn-context.ts";

/** How a turn is told to end early. */
export interface TurnSignals {
  /** The person pressed stop. */
  stop: AbortSignal;
  /** Nothing new may begin here: the client has detached, or another attempt runs the turn. */
  detach: AbortSignal;
  /** Another process continues the turn if this one has to leave it. */
  handsOver: boolean;
  /** This process leaves the turn before the next round. */
  leaves(): boolean;
  /** Somebody sees what the turn does. */
  watched(): boolean;
  /** Milliseconds that other processes have already run it without a client. */
  ranMs: number;
}

/** A piece of text, or the news that the model is waited for. */
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
   * Takes each piece of text as the model writes it, in its place among what the turn yields. Handing every piece up
   * through the generators would cost more than reading it did.
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
