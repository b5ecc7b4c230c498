// The requests with which turns were posted, each compressed in a file beside its journal until the turn has
// ended. With them, any edge can continue a turn whose client is gone. The requests are not interpreted here.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PostedTurn } from "../../shared/journal.ts";
import type { NotifyOption } from "../../shared/push.ts";
import { readIfThere, writeWhole } from "../files.ts";
import * as limits from "../limits.ts";
import type { TurnLog } from "./turn-log.ts";

const fileName = /^([A-Za-z0-9_-]+)\.([0-9a-f]{64})\.posted$/;
/** Notification settings in a file beside the request, which replace the request's own. */
const notifyOf = (path: string) => `${path}.notify`;

/** Ids of the turns in a folder that have a stored request. They may have no journal. */
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

  /** Deletes every request that does not belong to a claimed and unfinished turn with the same input. */
  async load(turns: ReadonlyMap<string, TurnLog>): Promise<void> {
    for (const name of await readdir(this.#dir)) {
      const [, turnId = "", inputHash = ""] = fileName.exec(name) ?? [];
      if (turnId === "") continue;
      const path = join(this.#dir, name);
      const turn = turns.get(turnId);
      if (turn?.inputHash === inputHash && !turn.finished) this.#paths.set(turnId, path);
      else await this.#remove(path);
    }
  }

  /**
   * Stores a request (base64) until `drop`. Only the first one of a turn counts. A request above the limit is
   * not stored.
   */
  async keep(turnId: string, inputHash: string | undefined, posted: string): Promise<void> {
    const name = `${turnId}.${inputHash}.posted`;
    if (this.#paths.has(turnId) || !fileName.test(name)) return;
    const bytes = Buffer.from(posted, "base64");
    if (bytes.length > limits.postedBytes) return;
    const path = join(this.#dir, name);
    await writeWhole(path, bytes, true);
    this.#paths.set(turnId, path);
  }

  /** In base64; undefined if none is stored. `notify`: the settings that `callInstead` was given. */
  async read(turnId: string): Promise<Pick<PostedTurn, "posted" | "notify">> {
    const path = this.#paths.get(turnId);
    if (path === undefined) return {};
    const [posted, notify] = await Promise.all([readIfThere(path), readIfThere(notifyOf(path))]);
    return { posted: posted?.toString("base64"), ...(notify ? { notify: JSON.parse(`${notify}`) } : {}) };
  }

  /**
   * Sets who is notified when the turn ends. Stored as long as the request; ignored if no request is stored.
   */
  async callInstead(turnId: string, notify: NotifyOption): Promise<void> {
    const path = this.#paths.get(turnId);
    if (path !== undefined) await writeWhole(notifyOf(path), JSON.stringify(notify), true);
  }

  /** A file that cannot be deleted now is deleted at the next start. */
  async drop(turnId: string): Promise<void> {
    const path = this.#paths.get(turnId);
    this.#paths.delete(turnId);
    if (path !== undefined) await this.#remove(path).catch(() => undefined);
  }

  async #remove(path: string): Promise<void> {
    for (const name of [path, notifyOf(path)]) await rm(name, { force: true });
  }
}
