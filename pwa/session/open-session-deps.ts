// What an open session needs of the page around it.
import type { ModelRef, TurnEvent } from "../../shared/event.ts";
import type { Api } from "../api/client.ts";
import type { TurnRunnerDeps } from "../turn/turn-runner.ts";
import type { SharedSessionDeps } from "./shared-session.ts";

export interface OpenSessionDeps extends SharedSessionDeps {
  api: Api;
  /** Id of this installation; undefined = none was made yet. */
  client(): string | undefined;
  /** The server's default model; null = not known now. */
  serves(): ModelRef | null;
  /** What a stream brought to this tab, for the others. */
  onEvents(sessionId: string, events: readonly TurnEvent[]): void;
  page: Pick<TurnRunnerDeps, "sleep" | "wake" | "doubt" | "isOnline"> & {
    inNextFrame(flush: () => void): void;
  };
}
