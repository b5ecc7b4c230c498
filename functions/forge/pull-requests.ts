// Creates and ends pull requests once: reads the forge's state first, and again if it refuses.
import type { AnswerArgs, MergeArgs, PullMade } from "../../shared/forge.ts";
import type { Forge, FoundPull, NewPull, RepositoryPath } from "./forge.ts";
import { forgeRefusal, reasonOf } from "./forge-error.ts";

/**
 * `head`: the commit that the branch is on here. If the branch has an open pull request, it is returned unchanged,
 * whoever made it.
 */
export async function openedOnce(
  forge: Forge,
  repository: RepositoryPath,
  pull: NewPull,
  head: string | null,
): Promise<PullMade> {
  const known = await existing(forge, repository, pull.branch, head);
  if (known) return made(known);
  try {
    return made(await forge.open(repository, pull));
  } catch (error) {
    const reason = reasonOf(error);
    // Another phone was faster, or an earlier request arrived although its answer did not.
    const found =
      reason === "exists" || reason === "moved" || reason === "down"
        ? await existing(forge, repository, pull.branch, head)
        : undefined;
    if (found) return made(found);
    throw error;
  }
}

/** A merged pull request counts unless the branch has had new commits since. */
async function existing(forge: Forge, repository: RepositoryPath, branch: string, head: string | null) {
  const found = await forge.find(repository, branch);
  if (!found || (found.state !== "open" && !(found.state === "merged" && found.head === head)))
    return undefined;
  return found;
}

/** Throws if the pull request's head is not the one that the person saw, or its rules are not met. */
export async function mergedOnce(
  forge: Forge,
  repository: RepositoryPath,
  args: MergeArgs,
): Promise<PullMade> {
  const { number, head, method } = args;
  const seen = await forge.byNumber(repository, number);
  if (seen.head !== head && seen.state === "open")
    throw forgeRefusal("moved", `#${number} has other commits by now. Look at them first.`);
  if (seen.state === "closed") throw forgeRefusal("protected", `#${number} is closed.`);
  if (seen.state === "merged") return made(seen);
  try {
    await forge.merge(repository, number, head, method);
  } catch (error) {
    const now = await forge.byNumber(repository, number).catch(() => undefined);
    if (now?.state === "merged") return made(now);
    throw error;
  }
  return { ...made(seen), state: "merged" };
}

/**
 * A comment equal to the last one in the same place by the same person is not posted again: the first answer may have
 * been lost.
 */
export async function answeredOnce(
  forge: Forge,
  repository: RepositoryPath,
  { number, text, thread, resolve }: AnswerArgs,
): Promise<void> {
  const [{ login }, { comments }] = await Promise.all([forge.user(), forge.look(repository, number)]);
  const about = thread === undefined ? undefined : comments.find((one) => one.thread === thread);
  const loose = comments.filter((one) => one.thread === null && one.by === login);
  const last = [about?.answers.at(-1), loose.at(-1)].filter((one) => one?.by === login);
  const isSaid = last.some((one) => one && endsWith(one.text, text));
  if (!isSaid) await forge.answer(repository, number, text, thread);
  if (resolve && thread !== undefined && about?.resolved !== true)
    await forge.resolve(repository, number, thread);
}

/** If a forge has no threaded replies, the comment is quoted above the reply. */
function endsWith(said: string, text: string): boolean {
  const [whole, end] = [said, text].map((one) => one.replace(/\r/g, "").trim());
  return whole === end || (whole?.startsWith("> ") === true && whole.endsWith(`\n\n${end}`));
}

/**
 * Deletes the branch of a merged or closed pull request, if nothing was pushed to it since. Succeeds if it is already
 * deleted.
 */
export async function branchDeleted(forge: Forge, repository: RepositoryPath, number: number): Promise<void> {
  const pull = await forge.byNumber(repository, number);
  if (pull.state === "open") throw forgeRefusal("protected", `#${number} is open: merge or close it first.`);
  if (!pull.ownBranch) throw forgeRefusal("rights", `The branch of #${number} is in another repository.`);
  const [at, main] = await Promise.all([
    forge.branchHead(repository, pull.branch),
    forge.defaultBranch(repository),
  ]);
  if (at === null) return;
  if (pull.branch === main) throw forgeRefusal("protected", `${main} is the repository's default branch.`);
  if (at !== pull.head)
    throw forgeRefusal(
      "moved",
      `${pull.branch} has commits that #${number} does not have. They would be lost.`,
    );
  try {
    await forge.deleteBranch(repository, pull.branch);
  } catch (error) {
    if ((await forge.branchHead(repository, pull.branch).catch(() => at)) !== null) throw error;
  }
}

function made({ number, url, state }: PullMade | FoundPull): PullMade {
  return { number, url, state };
}
