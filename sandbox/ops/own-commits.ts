// Records where a sandbox's own calls moved HEAD, and the snapshot of it from which its changes then count.
import { type Sandbox, saveRecord } from "../sandbox.ts";
import { branchOf, movesLogged } from "../workspace/head.ts";

/** `start`: where git's log of HEAD ended when the work began. Never throws: changes then count from before. */
export function seeCommits(sandbox: Sandbox, start: number): Promise<void> {
  return see(sandbox, start).catch(() => undefined);
}

async function see(sandbox: Sandbox, start: number): Promise<void> {
  const { folder, own, record } = sandbox;
  const { id, baseSnapshot: base, countedFrom: known } = record;
  const moves = await movesLogged(folder, start);
  if (!moves || !base) return;
  const { to: head, made } = moves;
  const stays = known?.made && (made === undefined || head === known.commit);
  if (head === (known?.head ?? moves.from) && (stays || !known?.made)) return;
  const commit = stays ? known.commit : made;
  const { from } = known ?? moves;
  if (!commit && head === from) record.countedFrom = undefined;
  else {
    const taken = await folder.snapshots.take(id, own, { base, from, head }).catch(() => undefined);
    record.countedFrom = {
      ...{ commit: commit || head, made: !!commit, from, head },
      branch: stays ? known.branch : ((await branchOf(folder)) ?? null),
      snapshot: taken ?? (await folder.snapshots.take(id, own)),
      unread: !taken,
    };
  }
  await saveRecord(sandbox);
}
