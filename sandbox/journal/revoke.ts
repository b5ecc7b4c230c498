// Revokes what a person allowed for the session. The journal line is written to a turn that had allowed
// something.
import type { SandboxJournal } from "./sandbox-journal.ts";

/** Revokes what the turn `grantId` had allowed. Returns false if none of it is allowed any more. */
export async function revoke(journal: SandboxJournal, grantId: string): Promise<boolean> {
  const turn = journal.turns.get(grantId);
  if (turn === undefined || !journal.facts.permissions.kept.some(({ id }) => id === grantId)) return false;
  await journal.write(turn, [{ type: "revoked", grant: grantId }]);
  return true;
}

/** Revokes everything. */
export async function revokeAll(journal: SandboxJournal): Promise<void> {
  const { anyTurn } = journal.facts.permissions;
  const turn = anyTurn === undefined ? undefined : journal.turns.get(anyTurn);
  if (turn) await journal.write(turn, [{ type: "revoked", grant: "*" }]);
}
