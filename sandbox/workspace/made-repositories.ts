// Which repositories commands have made, by inode: whom their settings name, no person has decided. Kept for as long as the
// state folder, whatever is deleted; an inode that is used again costs one question.
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { readIfThere } from "../files.ts";
import { entryAt, type FolderEntry } from "./looked-at.ts";
import type { Repository } from "./repository.ts";

export class MadeRepositories {
  readonly #file: string;

  constructor(state: string) {
    this.#file = join(state, "made-repositories");
  }

  /** Notes git folders and `.git` files that were not there before a command. */
  async note(made: readonly Pick<FolderEntry, "id">[]): Promise<void> {
    const known = await this.#known();
    const fresh = made.map(({ id }) => lineOf(id)).filter((line) => !known.includes(line));
    if (fresh.length > 0) await appendFile(this.#file, fresh.join(""), { mode: 0o600 });
  }

  /** Whether a command made it, or what leads from the workspace to it. */
  async has({ gitDir, commonDir, top }: Repository): Promise<boolean> {
    const known = await this.#known();
    return [gitDir, commonDir, join(top, ".git")].some((path) =>
      known.includes(lineOf(entryAt(path, "")?.id ?? "")),
    );
  }

  async #known(): Promise<string> {
    return `${(await readIfThere(this.#file)) ?? ""}`;
  }
}

/** Numbers of devices change when a machine starts again. */
function lineOf(id: string): string {
  return `\n${id.slice(id.indexOf(":") + 1)} `;
}
