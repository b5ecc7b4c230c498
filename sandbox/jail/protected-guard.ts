// Keeps what a command may not leave behind out of one workspace: holds what is there, watches while it runs, and sweeps
// after it. What was there before is written down first, so that a server that was killed sweeps at its next start.
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { readIfThere, writeWhole } from "../files.ts";
import { limits } from "../limits.ts";
import { shown } from "../paths/relative-path.ts";
import {
  type Entry,
  entryAt,
  type Found,
  type GitFolder,
  namesIn,
  Scanner,
  smallText,
  within,
} from "../workspace/scan.ts";
import { reduceConfig } from "./protected-config.ts";
import { type Baseline, hold, masks } from "./protected-mounts.ts";
import { heldInGit } from "./protected-names.ts";
import { type Sweep, type SweepOptions, sweepOf } from "./protected-sweep.ts";
import { watchFor } from "./protected-watch.ts";
import { linkBack, prune, replaceFile, type TakenOut, takeOut } from "./taken-out.ts";

export interface GuardedRun {
  /** Arguments of bubblewrap, for after the workspace's own mount. */
  args: string[];
  /** To be called when nothing of the command runs any more. Lines about what was taken out of the workspace. */
  end(): Promise<string[]>;
}

export interface GuardOptions extends Omit<SweepOptions, "root"> {
  writable: boolean;
}

interface Reducing {
  /** It may be a submodule's. */
  module: boolean;
  mount: string;
  /** What it said before the command; undefined for one that was not there. */
  before: string | undefined;
}

const Kept = z.object({
  /** What commands made and nobody changed since: they may take it away again. */
  made: z.array(z.string()),
  /** Set while a command runs. */
  running: z.optional(
    z.object({
      ...{ mount: z.string(), repositories: z.array(z.string()), editors: z.boolean() },
      ...{ held: z.array(z.string()), there: z.array(z.string()) },
      git: z.array(z.tuple([z.string(), z.array(z.string())])),
      links: z.array(z.tuple([z.string(), z.object({ stamp: z.string(), target: z.string() })])),
      configs: z._default(z.array(z.tuple([z.string(), z.string()])), []),
    }),
  ),
});
type Kept = z.infer<typeof Kept>;

export class Guard {
  /** Real path of the folder that it keeps. */
  readonly root: string;
  readonly #file: string;
  readonly #takenOut: string;
  readonly #scanner: Scanner;
  #kept: Kept | undefined;
  /** What the host had when the command that writes began, while that runs. */
  #before: Found | undefined;

  /** `dir`: where the folder's state is kept. */
  constructor(root: string, dir: string) {
    this.root = root;
    this.#file = join(dir, "guard.json");
    this.#takenOut = join(dir, "taken-out");
    this.#scanner = new Scanner(root);
  }

  /** One that writes at a time; any number that only read. Throws `too_large` where there is too much to hold. */
  async begin(options: GuardOptions): Promise<GuardedRun> {
    const root = this.root;
    await this.recover();
    if (!options.writable) {
      const { specials } = this.#before ?? (await this.#scanner.scan());
      const strange = specials.filter((entry) => !this.#isMade(entry)).slice(0, limits.heldEntries);
      return { args: masks(strange, { root, mount: options.mount }), end: async () => [] };
    }
    const found = await this.#scanner.scan();
    const { baseline, args } = hold(found, { root, ...options, ours: (entry) => this.#isMade(entry) });
    await this.#save({ made: this.#kept?.made ?? [], running: asKept(baseline, options) });
    this.#before = found;
    const unwatch = watchFor(found, baseline, { root, editors: options.editors });
    return {
      args,
      end: async () => {
        await unwatch();
        this.#before = undefined;
        return this.#sweep(baseline, options);
      },
    };
  }

  /** Sweeps after a command that a killed server left. Before anything else works in the folder. */
  async recover(): Promise<void> {
    this.#kept ??= await readKept(this.#file);
    const { running } = this.#kept;
    if (!running || this.#before) return;
    const { mount, repositories, editors, held, there, git, links, configs } = running;
    const baseline: Baseline = {
      ...{ held: new Set(held), there: new Set(there), links: new Map(links), configs: new Map(configs) },
      git: new Map(git.map(([id, names]) => [id, new Set(names)])),
    };
    await this.#sweep(baseline, { mount, repositories, editors });
  }

  async #sweep(baseline: Baseline, options: Omit<SweepOptions, "root">): Promise<string[]> {
    const root = this.root;
    const found = await this.#scanner.scan();
    const sweep = sweepOf(found, baseline, { root, ...options });
    const taken = await this.#apply(sweep, options);
    const after = taken.length > 0 ? await this.#scanner.scan() : found;
    const made = [
      ...after.gitFolders.filter(({ id, path }) => !baseline.git.has(id) && path !== ".git" && path !== ""),
      ...after.gitFiles.filter(({ id }) => !baseline.held.has(id)),
      // Copies of what the person has; see protected-same.ts.
      ...(options.editors ? [] : after.editors.filter(({ id }) => !baseline.held.has(id))),
      ...after.specials.filter((entry) => !baseline.there.has(entry.stamp) || this.#isMade(entry)),
    ];
    await this.#save({ made: made.map((entry) => markOf(root, entry)) });
    await prune(this.#takenOut);
    return notes(taken);
  }

  async #apply(sweep: Sweep, { mount }: Pick<SweepOptions, "mount">): Promise<TakenOut[]> {
    const [root, dir] = [this.root, this.#takenOut];
    const taken: TakenOut[] = [];
    /** What fails for one keeps none of the others: the person is told what is left. */
    const each = async (path: string, work: () => Promise<TakenOut | undefined>) => {
      const one = await work().catch(() => ({
        path,
        why: "it could not be taken out: look at it before you use git there",
      }));
      if (one) taken.push(one);
    };
    for (const one of sweep.out)
      await each(one.path, async () => ((await takeOut(root, dir, one)) ? one : undefined));
    for (const { path, target } of sweep.links) await linkBack(root, path, target).catch(() => undefined);
    for (const { path, module, before } of sweep.configs)
      await each(path, () => this.#reduce(path, { module, mount, before }));
    for (const path of sweep.todos) await each(path, () => this.#withoutPrograms(path));
    return taken;
  }

  async #reduce(path: string, { module, mount, before }: Reducing): Promise<TakenOut | undefined> {
    const [root, dir] = [this.root, this.#takenOut];
    const text = smallText(root, path, limits.gitConfigBytes);
    if (text === undefined && !entryAt(root, path)) return undefined;
    const gitDir = join(mount, path, "..");
    const reduced =
      text === undefined
        ? undefined
        : await reduceConfig(text, {
            ...{ gitDir, worktrees: module ? [mount, root] : [] },
            ...(before === undefined ? {} : { before }),
          });
    if (reduced?.dropped.length === 0) return undefined;
    const why = reduced
      ? `settings that start programs or read other files: ${reduced.dropped.slice(0, 10).join(", ")}`
      : "git cannot read it as settings";
    return (await replaceFile(root, dir, { path, why }, reduced?.text ?? "")) ? { path, why } : undefined;
  }

  /** The list of a rebase that waits, without what it would run; one that is too long to be read goes as a whole. */
  async #withoutPrograms(path: string): Promise<TakenOut | undefined> {
    const [root, dir] = [this.root, this.#takenOut];
    const one = { path, why: "programs that `git rebase --continue` would start" };
    const todo = smallText(root, path, 1024 * 1024);
    if (todo === undefined) return (await takeOut(root, dir, one)) ? one : undefined;
    const lines = todo.split("\n");
    const left = lines.filter((line) => !/^\s*(x|exec)\b/.test(line));
    if (left.length === lines.length) return undefined;
    return (await replaceFile(root, dir, one, left.join("\n"))) ? one : undefined;
  }

  #isMade(entry: Entry | GitFolder): boolean {
    return this.#kept?.made.includes(markOf(this.root, entry)) ?? false;
  }

  async #save(kept: Kept): Promise<void> {
    this.#kept = kept;
    if (kept.made.length === 0 && !kept.running) return rm(this.#file, { force: true });
    await mkdir(dirname(this.#file), { recursive: true });
    await writeWhole(this.#file, JSON.stringify(kept), false);
  }
}

/** Changes with whatever somebody changes: of a git folder its settings, of an editor's all that is in it. */
function markOf(root: string, entry: Entry | GitFolder): string {
  if (!("names" in entry)) return treeMark(root, entry);
  const parts = heldInGit.flatMap((plain) => entry.names.get(plain) ?? []);
  return [entry.id, ...parts.map((name) => entryAt(root, within(entry.path, name))?.stamp)].join(" ");
}

function treeMark(root: string, { path, stamp }: Entry): string {
  const inside = namesIn(root, path).flatMap((name) => entryAt(root, within(path, name)) ?? []);
  return [stamp, ...inside.map((one) => treeMark(root, one))].join(" ");
}

function asKept(baseline: Baseline, options: GuardOptions): NonNullable<Kept["running"]> {
  const { mount, repositories, editors } = options;
  return {
    ...{ mount, repositories: [...repositories], editors },
    ...{ held: [...baseline.held], there: [...baseline.there], links: [...baseline.links] },
    configs: [...baseline.configs],
    git: [...baseline.git].map(([id, names]) => [id, [...names]]),
  };
}

async function readKept(file: string): Promise<Kept> {
  const bytes = await readIfThere(file);
  try {
    return bytes ? z.parse(Kept, JSON.parse(bytes.toString("utf8"))) : { made: [] };
  } catch {
    // Then everything counts as the person's, and is held.
    return { made: [] };
  }
}

/** One line for each, a few at most: it goes to a model. */
function notes(taken: readonly TakenOut[]): string[] {
  const most = 10;
  const told = taken
    .slice(0, most)
    .map(({ path, named, why }) => `[taken out by the sandbox: ${shown(named ?? path)} (${shown(why)})]`);
  return taken.length > most ? [...told, `[and ${taken.length - most} more]`] : told;
}
