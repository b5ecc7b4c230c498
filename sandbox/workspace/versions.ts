// Gives the contents of files short ids (`v1`, `v2`, …) and keeps the recent contents. One store per
// workspace folder.
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod/mini";
import { readIfThere, writeWhole } from "../files.ts";
import * as limits from "../limits.ts";
import { decodeText } from "../paths/text-file.ts";
import { KeptContents } from "./kept-contents.ts";
import { Mutex } from "./mutex.ts";

/** The newest entry is last. The ids outlive the contents, so that the same content keeps its id. */
const History = z.object({
  path: z.string(),
  next: z.number(),
  entries: z.array(z.object({ id: z.string(), sha256: z.string() })),
});
type History = z.infer<typeof History>;

const idsPerFile = 500;
const historiesInMemory = 2_000;

export class Versions {
  readonly #dir: string;
  readonly #histories = new Map<string, History>();
  readonly #mutexes = new Map<string, Mutex>();

  readonly #contents: KeptContents;

  constructor(dir: string, maxBytes: number = limits.versionBytes) {
    this.#dir = dir;
    this.#contents = new KeptContents(dir, maxBytes);
  }

  /** The id of `bytes` as the content of the file at `path`. The content is kept from now on. */
  idOf(path: string, bytes: Uint8Array): Promise<string> {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return this.#alone(path, async () => {
      const history = await this.#load(path);
      const newest = history.entries.at(-1);
      if (newest?.sha256 === sha256) {
        // The content is used again: it is no longer among the oldest, and is stored again if it had been
        // deleted.
        await this.#contents.keep(contentName(path, sha256), bytes);
        return newest.id;
      }
      const known = history.entries.find((entry) => entry.sha256 === sha256);
      const entry = known ?? { id: `v${history.next++}`, sha256 };
      history.entries = [...history.entries.filter((other) => other !== known), entry].slice(-idsPerFile);
      await this.#store(history, entry.sha256, bytes).catch((error: unknown) => {
        // An id that exists only in memory could be given to another content after a restart.
        this.#histories.delete(path);
        throw error;
      });
      return entry.id;
    });
  }

  /** The content with this `id`, or undefined if it is unknown or no longer kept. */
  textOf(path: string, id: string): Promise<string | undefined> {
    return this.#alone(path, async () => {
      const entry = (await this.#load(path)).entries.find((candidate) => candidate.id === id);
      if (!entry) return undefined;
      const bytes = await this.#contents.read(contentName(path, entry.sha256));
      // Content that a power failure left incomplete does not count.
      if (!bytes || createHash("sha256").update(bytes).digest("hex") !== entry.sha256) return undefined;
      return decodeText(bytes, path);
    });
  }

  async #store(history: History, sha256: string, bytes: Uint8Array): Promise<void> {
    await this.#contents.keep(contentName(history.path, sha256), bytes);
    await writeWhole(
      join(this.#dir, folderName(history.path), "history.json"),
      JSON.stringify(history),
      false,
    );
    const dropped = history.entries.at(-1 - limits.versionsPerFile);
    if (dropped) await this.#contents.drop(contentName(history.path, dropped.sha256));
  }

  async #load(path: string): Promise<History> {
    const known = this.#histories.get(path);
    if (known) return known;
    const history = parseHistory(await readIfThere(join(this.#dir, folderName(path), "history.json")), path);
    if (this.#histories.size >= historiesInMemory) {
      const oldest = this.#histories.keys().next().value;
      if (oldest !== undefined) this.#histories.delete(oldest);
    }
    this.#histories.set(path, history);
    return history;
  }

  async #alone<T>(path: string, work: () => Promise<T>): Promise<T> {
    const mutex = this.#mutexes.get(path) ?? new Mutex();
    this.#mutexes.set(path, mutex);
    try {
      return await mutex.run(work);
    } finally {
      if (mutex.idle) this.#mutexes.delete(path);
    }
  }
}

function folderName(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 40);
}

function contentName(path: string, sha256: string): string {
  return join(folderName(path), sha256);
}

function parseHistory(bytes: Buffer | undefined, path: string): History {
  const empty = { path, next: 1, entries: [] };
  if (!bytes) return empty;
  try {
    return z.parse(History, JSON.parse(bytes.toString("utf8")));
  } catch {
    // A power failure left the file incomplete. Old ids become unknown, and are not reused for other
    // contents.
    return { ...empty, next: Date.now() };
  }
}
