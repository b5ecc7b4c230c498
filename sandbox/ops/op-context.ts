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
  /** The command runs beside others, and is told how it is. */
  background?: BackgroundCommand;
  output(stream: "stdout" | "stderr", offset: number, text: string): void;
}
