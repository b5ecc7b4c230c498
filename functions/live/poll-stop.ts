// Whether somebody asked a turn to stop. Apart from what ends it (`stop.ts`), which few turns need.
import type { Deps } from "../deps.ts";

/** Whether the journal holds a stop, whichever process received it. Reads it once. */
export async function pollStop(deps: Deps, sandboxId: string, turnId: string): Promise<boolean> {
  for await (const line of deps.sandbox.journal(sandboxId, turnId, 0, 0))
    if (line.type === "stop") return true;
  return false;
}
