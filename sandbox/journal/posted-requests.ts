// What turns were posted with, compressed, each in a file beside its journal until the turn has ended. So whoever runs
// the edge can go on with a turn whose client is gone. Knows nothing of what is in a request.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { readIfThere, writeWhole } from "../files.ts";
import { limits } from "../limits.ts";
import type { TurnLog } from "./turn-log.ts";

const fileName = /^([A-Za-z0-9_-]+)\.([0-9a-f]{64})\.posted$/;

/** Ids of the turns of a folder that has requests, and perhaps journals. */
export async function postedTurns(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((): string[] => []);
  return names.flatMap((name) => fileName.exec(name)?.[1] ?? []);
}

export class PostedRequests {
  readonly #dir: string;
  readonly #paths = new Map<string, string>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** What belongs to no turn that was claimed with that input and has not ended is deleted. */
  async load(turns: ReadonlyMap<string, TurnLog>): Promise<void> {
    for (const name of await readdir(this.#dir)) {
      const [, turnId = "", inputHash = ""] = fileName.exec(name) ?? [];
      if (turnId === "") continue;
      const path = join(this.#dir, name);
      const turn = turns.get(turnId);
      if (turn?.inputHash === inputHash && !turn.finished) this.#paths.set(turnId, path);
      else await rm(path, { force: true });
    }
  }

  /** Keeps a request, in base64, until `drop`; the first one of a turn counts. Larger than the limit: it is not kept. */
  async keep(turnId: string, inputHash: string | undefined, posted: string): Promise<void> {
    const name = `${turnId}.${inputHash}.posted`;
    if (this.#paths.has(turnId) || !fileName.test(name)) return;
    const bytes = Buffer.from(posted, "base64");
    if (bytes.length > limits.postedBytes) return;
    const path = join(this.#dir, name);
    await writeWhole(path, bytes, true);
    this.#paths.set(turnId, path);
  }

  /** In base64; undefined where none is kept. */
  async read(turnId: string): Promise<string | undefined> {
    const path = this.#paths.get(turnId);
    return path === undefined ? undefined : (await readIfThere(path))?.toString("base64");
  }

  /** What cannot be deleted now is at the next start. */
  async drop(turnId: string): Promise<void> {
    const path = this.#paths.get(turnId);
    this.#paths.delete(turnId);
    if (path !== undefined) await rm(path, { force: true }).catch(() => undefined);
  }
}
