// Records by inode which repositories commands have made, because no person chose the hosts that their
// settings name. The record stays as long as the state folder, even if repositories are deleted. A reused
// inode only means that the person is asked once more.
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

  /** Records git folders and `.git` files that did not exist before a command. */
  async note(made: readonly Pick<FolderEntry, "id">[]): Promise<void> {
    const known = await this.#known();
    const fresh = made.map(({ id }) => lineOf(id)).filter((line) => !known.includes(line));
    if (fresh.length > 0) await appendFile(this.#file, fresh.join(""), { mode: 0o600 });
  }

  /** Whether a command made the repository, or the `.git` that leads to it from the workspace. */
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

/** The device number is left out, because it may change when the machine restarts. */
function lineOf(id: string): string {
  return `\n${id.slice(id.indexOf(":") + 1)} `;
}
