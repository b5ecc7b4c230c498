// Carries out a sweep: takes things out of a workspace, puts links back, reduces settings.
import { isAbsolute } from "node:path";
import * as limits from "../limits.ts";
import { entryAt, smallText } from "../workspace/looked-at.ts";
import { reduceConfig } from "./protected-config.ts";
import type { Sweep } from "./protected-sweep.ts";
import { resolveInside } from "./resolve-inside.ts";
import { linkBack, replaceFile, type TakenOut, takeOut } from "./taken-out.ts";

export interface SweptPlace {
  /** Real path of the workspace. */
  root: string;
  /** The folder that takes the removed entries. */
  dir: string;
  /** Path at which the command saw the workspace. */
  mount: string;
}

/**
 * The entries taken out. If one fails, the others are still taken out, and the person is told which are left.
 */
export async function applied(sweep: Sweep, place: SweptPlace): Promise<TakenOut[]> {
  const { root, dir } = place;
  const taken: TakenOut[] = [];
  const each = async (path: string, work: () => Promise<TakenOut | undefined>) => {
    const one = await work().catch(() => ({
      path,
      why: "it could not be taken out: look at it before you use git there",
      yours: false,
      left: true,
    }));
    if (one) taken.push(one);
  };
  for (const one of sweep.out)
    await each(one.path, async () => ((await takeOut(root, dir, one)) ? one : undefined));
  for (const { path, target } of sweep.links) await linkBack(root, path, target).catch(() => undefined);
  for (const config of sweep.configs) await each(config.path, () => reduced(config, place));
  for (const path of sweep.todos) await each(path, () => withoutPrograms(path, place));
  return taken;
}

async function reduced(
  { path, module, before }: Sweep["configs"][number],
  { root, dir, mount }: SweptPlace,
): Promise<TakenOut | undefined> {
  const text = smallText(root, path, limits.gitConfigBytes);
  if (text === undefined && !entryAt(root, path)) return undefined;
  const gitDir = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const less =
    text === undefined
      ? undefined
      : await reduceConfig(text, {
          mayHold: (worktree) => module && leadsInside(worktree, gitDir, { root, mount }),
          ...(before === undefined ? {} : { before }),
        });
  if (less?.dropped.length === 0) return undefined;
  const why = less
    ? `settings that start programs, read other files or lead to other addresses: ${less.dropped.slice(0, 10).join(", ")}`
    : "git cannot read it as settings";
  const one = { path, why, yours: before !== undefined };
  return (await replaceFile(root, dir, one, less?.text ?? "")) ? one : undefined;
}

/** Whether a folder that settings name is in the workspace once the links on the way are followed. */
function leadsInside(
  worktree: string,
  gitDir: string,
  { root, mount }: Pick<SweptPlace, "root" | "mount">,
): boolean {
  if (!isAbsolute(worktree)) return resolveInside(root, `${gitDir}/${worktree}`).path !== undefined;
  return [mount, root].some(
    (seen) =>
      worktree.startsWith(`${seen}/`) &&
      resolveInside(root, worktree.slice(seen.length + 1)).path !== undefined,
  );
}

/** Removes the commands from the list of a paused rebase. A list too long to read is taken out whole. */
async function withoutPrograms(path: string, { root, dir }: SweptPlace): Promise<TakenOut | undefined> {
  const one = { path, why: "programs that `git rebase --continue` would start", yours: false };
  const todo = smallText(root, path, 1024 * 1024);
  if (todo === undefined) return (await takeOut(root, dir, one)) ? one : undefined;
  const lines = todo.split("\n");
  const left = lines.filter((line) => !/^\s*(x|exec)\b/.test(line));
  if (left.length === lines.length) return undefined;
  return (await replaceFile(root, dir, one, left.join("\n"))) ? one : undefined;
}
