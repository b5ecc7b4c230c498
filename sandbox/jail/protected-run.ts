// Runs a command between the beginning and the end of its guard. When none of its processes runs any more,
// files that it must not leave are taken out, and its result says so.

import { basename, join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import type { ExecValue } from "../../shared/sandbox.ts";
import { isFolder, replaced, replacedError } from "../paths/inside.ts";
import type { Folder } from "../workspace/folder.ts";
import { replacedExit } from "./checked-binds.ts";
import { heldBack } from "./held-back.ts";
import { jailEnd } from "./jail-end.ts";
import type { Outside } from "./named-by-settings.ts";
import type { Gate } from "./process-limit.ts";
import type { GuardedRun, GuardOptions } from "./protected-guard.ts";

/** Begins the guard of a workspace, and those of its git folders outside, which have mounts of their own. */
export async function beginGuards(
  folder: Pick<Folder, "guard" | "outside" | "outsideGuards">,
  options: GuardOptions,
): Promise<GuardedRun> {
  const outside = outsideOf(folder);
  const inside = await folder.guard.begin({ ...options, outside });
  const begun = [inside];
  const modules: Pick<GuardedRun, "args" | "places"> = { args: [], places: [] };
  try {
    // The scan looks for no editors' settings there: the command sees nothing but git's folder.
    const place = { ...options, editors: true };
    if (options.writable)
      for (const guard of folder.outsideGuards) {
        const one = await guard.begin({ ...place, mount: guard.root });
        begun.push(one);
        if (guard.root !== folder.outside?.gitDir) continue;
        // Commits in submodules must work, so the folders of submodules in it get their own mounts. The mount
        // of the repository's folder holds the rest read-only.
        modules.args.push(...below(join(guard.root, "modules"), one.args));
        const shown = new Set(modules.args.filter((_, index) => index % 3 === 2));
        modules.places.push(...one.places.filter(({ at }) => shown.has(at)));
      }
  } catch (error) {
    for (const one of begun) await one.end();
    throw error;
  }
  return {
    args: [...modules.args, ...inside.args],
    places: [...modules.places, ...inside.places],
    end: async () => {
      const notes: string[] = [];
      for (const one of begun) notes.push(...(await one.end()));
      return notes;
    },
  };
}

/** The settings of the workspace's repository, if that is outside of it. */
export function outsideOf({ outside }: Pick<Folder, "outside">): Outside[] {
  if (!outside) return [];
  const { commonDir, gitDir, top } = outside;
  return [{ configs: [join(commonDir, "config"), join(gitDir, "config.worktree")], top }];
}

/**
 * The arguments in `args` (three per mount) that mount places in `folder`: folders and settings files, which
 * exist whatever commands of other sandboxes do. See git-parts.ts.
 */
function below(folder: string, args: readonly string[]): string[] {
  const mounts: string[] = [];
  for (let index = 0; index + 2 < args.length; index += 3) {
    const mount = args.slice(index, index + 3);
    const [, source, at = ""] = mount;
    const isFirm = basename(at) === "config" || (source !== "/dev/null" && isFolder(at));
    if (at.startsWith(`${folder}/`) && isFirm) mounts.push(...mount);
  }
  return mounts;
}

/** `run` gets a gate for the jail that the command runs in; see process-limit.ts. */
export async function guardedRun(
  guard: GuardedRun,
  run: (gate: Gate) => Promise<ExecValue>,
): Promise<ExecValue> {
  let ended = async () => {};
  const gate: Gate = async (pid) => {
    ended = jailEnd(pid);
  };
  // Whatever happens to the command, its leftovers are removed.
  const [done] = await Promise.allSettled([(async () => run(gate))()]);
  await ended();
  const notes = await guard.end();
  if (done.status === "rejected") throw done.reason;
  const { value } = done;
  return { ...value, stderr: withNotes(value.stderr, [...notes, ...heldBack(value)]) };
}

/**
 * How often a jail is rebuilt because a file that it holds was replaced meanwhile. A person's editor does
 * that once per save.
 */
const mostAttempts = 4;

/**
 * Runs the command again if its jail could not be made because a mounted place was replaced meanwhile. The
 * command itself had not begun.
 */
export async function untilStarted(run: () => Promise<ExecValue>): Promise<ExecValue> {
  for (let attempt = 1; ; attempt++) {
    const value = await run();
    if (attempt === mostAttempts || !wasReplaced(value)) return value;
  }
}

/**
 * Whether the jail was not made because a mounted place was replaced. Either bubblewrap reports it, or our
 * own check of the mounts does.
 */
function wasReplaced({ exitCode, stdout, stderr }: ExecValue): boolean {
  if (stdout !== "") return false;
  if (exitCode === replacedExit) return stderr.startsWith(replaced);
  return (
    exitCode === 1 &&
    /^bwrap: Can't (find source path|bind mount|mkdir|create file|get type of source)/.test(stderr)
  );
}

/**
 * Throws if the jail could not be made and so nothing of the command ran; otherwise bubblewrap's exit code
 * would look like the command's own. Bubblewrap gives the reason in one line and writes nothing else. A
 * command that itself starts bubblewrap may fail with the same line, so its exit code is kept.
 */
export function checkStarted(command: string, value: ExecValue): void {
  if (wasReplaced(value) && value.exitCode === replacedExit) throw replacedError();
  const { exitCode, stdout, stderr } = value;
  const isRefused = exitCode === 1 && stdout === "" && /^bwrap: [^\n]*\n?(?:\[[^\n]*\n?)*$/.test(stderr);
  if (isRefused && !/\bbwrap\b/.test(command))
    throw new HandrailError("internal", "The command was not run: its jail could not be made.", {
      retryable: true,
    });
}

function withNotes(stderr: string, notes: readonly string[]): string {
  if (notes.length === 0) return stderr;
  const before = stderr === "" || stderr.endsWith("\n") ? stderr : `${stderr}\n`;
  return `${before}${notes.join("\n")}\n`;
}
