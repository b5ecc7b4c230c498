// The context in which an op works.
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
  /** Set for a command that runs in the background. */
  background?: BackgroundCommand;
  output(stream: "stdout" | "stderr", offset: number, text: string): void;
}
