// Protects one workspace from files that a command must not leave there. It mounts existing ones read-only,
// watches the workspace while the command runs, and sweeps it afterwards. The earlier state is stored first,
// so that a server that was killed can sweep at its next start.
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import type { TakenOutEntry } from "../../shared/taken-out.ts";
import { readIfThere, writeWhole } from "../files.ts";
import * as limits from "../limits.ts";
import { shown } from "../paths/relative-path.ts";
import { entryAt, type FolderEntry, treeMark, within } from "../workspace/looked-at.ts";
import type { MadeRepositories } from "../workspace/made-repositories.ts";
import { type GitFolder, type ScannedTree, WorkspaceScanner } from "../workspace/scan.ts";
import { abandoned } from "./abandoned-sockets.ts";
import { type Baseline, fromKept, KeptBaseline, toKept } from "./baseline.ts";
import type { HeldPlace } from "./checked-binds.ts";
import { heldNames } from "./held-names.ts";
import { NamedBySettings, type Outside } from "./named-by-settings.ts";
import { applied } from "./protected-apply.ts";
import { hold, masks, tooMuch } from "./protected-mounts.ts";
import { heldInGit } from "./protected-names.ts";
import { type SweepOptions, sweepOf } from "./protected-sweep.ts";
import { watchFor } from "./protected-watch.ts";
import { putBack, takenOut } from "./put-back.ts";
import { isSteady, noteHolds } from "./running-holds.ts";
import { keptSince, placesIn, prune, removeLeft, type TakenOut } from "./taken-out.ts";

export interface GuardedRun {
  /** Arguments for bubblewrap, to be placed after the workspace's own mount. */
  args: string[];
  /** The entries that the mounts of `args` must show. */
  places: HeldPlace[];
  /** Call it after every process of the command has ended. Returns lines about the entries taken out of the workspace. */
  end(): Promise<string[]>;
}

export interface GuardOptions extends Omit<SweepOptions, "root"> {
  writable: boolean;
  /** The workspace's own repository, if it is outside. */
  outside?: readonly Outside[];
  /** The command runs in the background, alongside others. */
  background?: boolean;
}

const Running = z.object({
  ...KeptBaseline.shape,
  mount: z.string(),
  repositories: z.array(z.string()),
  editors: z.boolean(),
});
type Running = z.infer<typeof Running>;

const Kept = z.object({
  /** Marks of entries that commands made and nobody has changed since. Commands may remove them again. */
  made: z.array(z.string()),
  /** Set while a command runs. */
  running: z.optional(Running),
  /** Commands in the background. */
  background: z.optional(z.array(Running)),
});
type Kept = z.infer<typeof Kept>;

export class Guard {
  /** Real path of the folder that it protects. */
  readonly root: string;
  readonly #file: string;
  readonly #takenOut: string;
  readonly #scanner: WorkspaceScanner;
  readonly #settings: NamedBySettings;
  readonly #madeOnes: MadeRepositories | undefined;
  #kept: Kept | undefined;
  /** The folder's content when the current writing command began; undefined if none runs. */
  #before: ScannedTree | undefined;
  /** Commands in the background that run in this process. */
  readonly #background = new Set<Running>();
  /** The result of the last scan. */
  #last: ScannedTree | undefined;

  /** `dir`: where the folder's state is kept. */
  constructor(root: string, dir: string, made?: MadeRepositories) {
    this.root = root;
    this.#madeOnes = made;
    this.#file = join(dir, "guard.json");
    this.#takenOut = join(dir, "taken-out");
    this.#scanner = new WorkspaceScanner(root);
    this.#settings = new NamedBySettings(root);
  }

  /**
   * In addition to commands in the background, allows one writing command at a time, and any number of
   * read-only ones. Throws `too_large` if there is too much to hold.
   */
  async begin(options: GuardOptions): Promise<GuardedRun> {
    const root = this.root;
    await this.recover();
    if (!options.writable) {
      const { specials } = this.#before ?? (await this.#scanner.scan());
      const strange = specials.filter((one) => !this.#isMade(one) && isSteady(join(root, one.path)));
      if (strange.length > limits.heldEntries) throw tooMuch();
      return { args: masks(strange, { root, mount: options.mount }), places: [], end: async () => [] };
    }
    const found = await this.#scanner.scan();
    const named = await this.#settings.of(found, options.outside ?? []);
    const ours = (entry: FolderEntry) => this.#isMade(entry);
    const { baseline, args, places, entries } = hold(found, { root, ...options, named, ours });
    const { mount, repositories, editors } = options;
    const running = { ...toKept(baseline), mount, repositories: [...repositories], editors };
    const kept: Kept = this.#kept ?? { made: [] };
    if (options.background) {
      this.#background.add(running);
      await this.#save({ ...kept, background: [...(kept.background ?? []), running] });
    } else {
      this.#before = found;
      await this.#save({ ...kept, running });
    }
    this.#last = found;
    const forget = noteHolds(root, entries);
    const unwatch = watchFor(found, baseline, { root, editors: options.editors });
    return {
      ...{ args, places },
      end: async () => {
        forget();
        await unwatch();
        if (options.background) this.#background.delete(running);
        else this.#before = undefined;
        return this.#sweep(baseline, running);
      },
    };
  }

  /**
   * Places that the op `change` must not touch: the files that git's current settings name, in the
   * repositories that the last scan found.
   */
  async heldNames(outside: readonly Outside[]): Promise<string[]> {
    this.#last ??= await this.#scanner.scan();
    return heldNames(this.root, this.#last, await this.#settings.of(this.#last, outside));
  }

  /** Folders of packages that links lead to, as the last scan found them. */
  async reached(): Promise<string[]> {
    this.#last ??= await this.#scanner.scan();
    return this.#last.reached.map(({ target }) => target);
  }

  /** The entries taken out of this folder and kept, newest first. */
  takenOut(): Promise<TakenOutEntry[]> {
    return takenOut(this.#takenOut);
  }

  /** Puts an entry back; see put-back.ts. No command may be running in the folder. */
  async putBack(id: string): Promise<void> {
    await this.recover();
    await putBack(this.root, this.#takenOut, id);
  }

  /** Resumes removals that a killed server had begun. */
  removeLeft(): Promise<void> {
    return removeLeft(this.#takenOut);
  }

  /**
   * Sweeps after commands that were running when a server was killed. Call it before anything else works in
   * the folder.
   */
  async recover(): Promise<void> {
    this.#kept ??= await readKept(this.#file);
    const { running, background = [] } = this.#kept;
    const left = background.filter((one) => !this.#background.has(one));
    if (running && !this.#before) left.push(running);
    for (const one of left) await this.#sweep(fromKept(one), one);
  }

  async #sweep(baseline: Baseline, of: Running): Promise<string[]> {
    const root = this.root;
    const options = { mount: of.mount, repositories: of.repositories, editors: of.editors };
    const found = await this.#scanner.scan();
    await this.#madeOnes?.note([
      ...found.gitFolders.filter(({ id }) => !baseline.git.has(id) && !baseline.left.has(id)),
      ...found.gitFiles.filter(({ id }) => !baseline.held.has(id)),
    ]);
    const sweep = sweepOf(found, baseline, { root, ...options });
    const before = await placesIn(this.#takenOut);
    const taken = await applied(sweep, { root, dir: this.#takenOut, mount: options.mount });
    const after = taken.length > 0 ? await this.#scanner.scan() : found;
    this.#last = after;
    const made = [
      ...after.gitFolders.filter(({ id, path }) => !baseline.git.has(id) && path !== ".git" && path !== ""),
      ...after.gitFiles.filter(({ id }) => !baseline.held.has(id)),
      // The copies of the person's own settings that were left in place; see protected-same.ts.
      ...(options.editors ? [] : after.editors.filter(({ id }) => !baseline.held.has(id))),
      ...after.specials.filter((entry) => this.#isMade(entry)),
      ...(await abandoned(
        root,
        after.specials.filter((entry) => !this.#isMade(entry) && !baseline.there.has(entry.stamp)),
      )),
    ];
    const { running, background = [] } = this.#kept ?? {};
    const others = background.filter((one) => one !== of);
    await this.#save({
      made: made.map((entry) => markOf(root, entry)),
      ...(running && running !== of ? { running } : {}),
      ...(others.length > 0 ? { background: others } : {}),
    });
    await prune(this.#takenOut);
    return notes(taken, await keptSince(this.#takenOut, before));
  }

  #isMade(entry: FolderEntry | GitFolder): boolean {
    return this.#kept?.made.includes(markOf(this.root, entry)) ?? false;
  }

  async #save(kept: Kept): Promise<void> {
    this.#kept = kept;
    if (kept.made.length === 0 && !kept.running && !kept.background) return rm(this.#file, { force: true });
    await mkdir(dirname(this.#file), { recursive: true });
    await writeWhole(this.#file, JSON.stringify(kept), false);
  }
}

/**
 * A value that changes when somebody changes the entry: a git folder's settings, or anything in an editor's
 * folder.
 */
function markOf(root: string, entry: FolderEntry | GitFolder): string {
  if (!("names" in entry)) return treeMark(root, entry);
  const parts = heldInGit.flatMap((plain) => entry.names.get(plain) ?? []);
  return [entry.id, ...parts.map((name) => entryAt(root, within(entry.path, name))?.stamp)].join(" ");
}

async function readKept(file: string): Promise<Kept> {
  const bytes = await readIfThere(file);
  try {
    return bytes ? z.parse(Kept, JSON.parse(bytes.toString("utf8"))) : { made: [] };
  } catch {
    // Without the record, everything counts as the person's and is held.
    return { made: [] };
  }
}

/**
 * One line for each entry, at most ten, because a model reads them. `kept`: the paths of entries that the
 * person can put back.
 */
function notes(taken: readonly TakenOut[], kept: ReadonlySet<string>): string[] {
  if (taken.length === 0) return [];
  const isKept = ({ path, named }: TakenOut) => kept.has(named ?? path);
  const fate = (one: TakenOut) =>
    isKept(one) || one.left
      ? ""
      : one.destroyed
        ? "; removed for good"
        : "; removed for good: too large to keep";
  const most = 10;
  const told = taken
    .slice(0, most)
    .map(
      (one) => `[taken out by the sandbox: ${shown(one.named ?? one.path)} (${shown(one.why)}${fate(one)})]`,
    );
  const more = taken.length > most ? [`[and ${taken.length - most} more]`] : [];
  const yours = taken.some((one) => one.yours && isKept(one))
    ? " Some lay where the person had something: if it was saved while the command ran, it is the person's own."
    : "";
  if (!taken.some(isKept)) return [...told, ...more];
  const lost = taken.filter((one) => !isKept(one) && !one.left).length;
  const rest = lost > 0 ? `${lost} of these could not be kept and are removed for good; the rest of ` : "";
  return [
    ...told,
    ...more,
    `[${rest}what was taken out of the workspace is kept for a while: the person sees it under "Allowed and taken out" in the session's menu, and can put it back.${yours}]`,
  ];
}
