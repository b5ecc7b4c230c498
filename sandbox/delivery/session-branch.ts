// The branch of a session that works in its own clone. It is made before the session's first write, and
// recorded.
import { branchPrefix } from "../../shared/branch-name.ts";
import type { ServerContext } from "../context.ts";
import { ownMoves } from "../ops/look.ts";
import { type Sandbox, saveRecord } from "../sandbox.ts";
import { branches, freeName } from "../worktrees/add-worktree.ts";
import { gitOf } from "./git-state.ts";

/**
 * The branch is named after the session's subject. None is made outside of a clone, if HEAD is on such a
 * branch already, or if there is no commit yet.
 */
export async function ownBranch(sandbox: Sandbox, server: ServerContext): Promise<void> {
  const { record, journal } = sandbox;
  if (record.branched || !record.owned || !record.source || !("git" in record.source)) return;
  const git = await gitOf(sandbox, server);
  const on = await git.branch();
  if (!on.startsWith(branchPrefix) && (await git.commit()) !== "") {
    const { goal, said } = journal.facts.session.row;
    const title = journal.news.devices.said.title || goal || said;
    const name = freeName(String(title), new Set(await branches(git)));
    await ownMoves(sandbox, () => git.run(["switch", "--quiet", "-c", name]));
  }
  record.branched = true;
  await saveRecord(sandbox);
}
