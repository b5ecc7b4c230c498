// Tells which programs would run an entry that was taken out once it is back in the workspace. The person
// reads this before putting it back.
import { folded, namesEditorSettings } from "../../shared/editor-names.ts";
import type { TakenOutEntry } from "../../shared/taken-out.ts";
import * as limits from "../limits.ts";
import { entriesIn, within } from "../workspace/looked-at.ts";
import { isInDotGit } from "./git-parts.ts";
import { heldInGit, looksLikeGit } from "./protected-names.ts";

type Runs = NonNullable<TakenOutEntry["runs"]>;

/**
 * `it`: the real path of the entry that was at `path`. Judges by names alone. A tree too large to search
 * counts as run by both git and an editor.
 */
export function runBy(path: string, it: string): Runs {
  const found = new Set<Runs[number]>();
  const inGit = new Set<string>([".git", "hooks", ...heldInGit.map(String)]);
  let left = limits.takenOutLooked;
  const look = (at: string, inside: string) => {
    if (namesEditorSettings(at)) found.add("editor");
    if (isInDotGit(at) || inGit.has(folded(at.split("/").at(-1) ?? ""))) found.add("git");
    const entries = entriesIn(it, inside);
    if (entries === "closed") return;
    if (looksLikeGit(new Set(entries.map(({ name }) => folded(name))))) found.add("git");
    for (const entry of entries) {
      if (found.size === 2) return;
      left -= 1;
      if (left < 0) {
        found.add("git").add("editor");
        return;
      }
      look(`${at}/${entry.name}`, within(inside, entry.name));
    }
  };
  if (path.split("/").some((name) => inGit.has(folded(name)))) found.add("git");
  look(path, "");
  return [...found].sort();
}
