// What an op is given to do its work.
import type { Access } from "../../shared/sandbox.ts";
import type { ServerContext } from "../context.ts";
import type { BackgroundCommand } from "../exec/background-command.ts";
import type { Sandbox } from "../sandbox.ts";

export interface OpContext {
  server: ServerContext;
  sandbox: Sandbox;
  access: Access;
  /** Aborted when the turn is stopped or the server shuts down. */
  signal: AbortSignal;
  /** Called with the state of a command that runs in the background. */
  background?: BackgroundCommand;
  output(stream: "stdout" | "stderr", offset: number, text: string): void;
}
