// Whether something was sent already, as the server knows it and as the history has it.
import type { SessionState } from "../../shared/session/session-state.ts";
import type { TurnInput } from "../../shared/turn.ts";
import type { Api } from "../api/client.ts";

/** False where the server does not know it, or cannot be asked now. Never throws. */
export async function sentBefore(api: Api, sandboxId: string, turnId: string): Promise<boolean> {
  if (sandboxId === "") return false;
  const asked = new AbortController();
  try {
    await api.send(`/turns/${sandboxId}/${turnId}/events?after=0`, { signal: asked.signal });
    return true;
  } catch {
    return false;
  } finally {
    asked.abort();
  }
}

/** Whether the newest turn of the history begins with this message. */
export function wasSaid(input: TurnInput, { head, entries }: SessionState): boolean {
  return entries.some(
    (entry) =>
      entry.turnId === head.turn?.id &&
      entry.event === "message" &&
      entry.data.message.role === "user" &&
      input.type === "message" &&
      entry.data.message.content === input.text,
  );
}
