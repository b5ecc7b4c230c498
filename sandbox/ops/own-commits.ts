// Follows HEAD, and records from which snapshot a sandbox's changes count after a move.
import { type Sandbox, saveRecord } from "../sandbox.ts";
import { branchOf, type HeadMoves, headMark, movesLogged } from "../workspace/head.ts";

/**
 * Records how HEAD moved since the last time. `own`: by this sandbox's own calls, as while one of them runs. Never
 * throws: changes then count from before.
 */
export function seeMoves(sandbox: Sandbox, own = isAtWork(sandbox)): Promise<void> {
  return see(sandbox, own).catch(() => undefined);
}

function isAtWork({ moving, background }: Sandbox): boolean {
  return moving > 0 || background.running.length > 0;
}

async function see(sandbox: Sandbox, own: boolean): Promise<void> {
  const { folder, record } = sandbox;
  const { logBytes } = await headMark(folder);
  const start = record.headLog;
  if (start === logBytes) return;
  record.headLog = logBytes;
  const moves = start === undefined ? undefined : await movesLogged(folder, start, logBytes);
  if (moves) await count(sandbox, own, moves);
  await saveRecord(sandbox);
}

async function count(sandbox: Sandbox, own: boolean, { from, to, made }: HeadMoves): Promise<void> {
  const { folder, own: changes, record } = sandbox;
  const { id, baseSnapshot: base, countedFrom: known } = record;
  const stays = known?.made && (made === undefined || to === known.commit);
  if (!base || (to === (known?.head ?? from) && (stays || !known?.made))) return;
  const commit = stays ? known.commit : made;
  const first = known?.from ?? from;
  if (!commit && to === first) {
    record.countedFrom = undefined;
    return;
  }
  const since = known ? [base, known.snapshot] : [base];
  let unread = false;
  const snapshot = await folder.snapshots.takeAsHead(id, changes, { from, to, own, since }).catch(() => {
    unread = true;
    return folder.snapshots.take(id, changes);
  });
  if (snapshot === undefined) return;
  record.countedFrom = {
    ...{ commit: commit || to, made: !!commit, from: first, head: to, snapshot, unread },
    branch: stays ? known.branch : ((await branchOf(folder)) ?? null),
  };
}
