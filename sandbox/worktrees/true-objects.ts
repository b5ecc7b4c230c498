// Detects forged objects. Commands can write to the repository's object store, and git trusts any object
// stored under an id. Before objects become a person's files or commits, they are packed again, which derives
// each id from the content.
import { HandrailError } from "../../shared/errors.ts";
import { ownIndex } from "./own-index.ts";
import type { RepositoryGit } from "./repository-git.ts";

/**
 * Names of files may contain text that looks like an id. Git reports such text as missing, and it is skipped.
 */
const pack = `!f() { own=$(dirname "$GIT_INDEX_FILE"); from=\${1:-$(git hash-object -t tree /dev/null)}
for each in "$@"; do [ "$each" ] || continue; echo "$each"; git rev-list "$each" "^$from" || exit
git rev-parse "$each^{tree}" && git ls-tree -rd "$each" && git diff-tree -r --no-renames "$from" "$each" || exit; done > "$own/all"
grep -oE '[0-9a-f]{40,64}' "$own/all" | sort -u | git cat-file --batch-check='%(objectname)' | grep -v ' ' > "$own/ids"
git pack-objects -q --window=0 --stdout < "$own/ids" | GIT_OBJECT_DIRECTORY=$own git index-pack --stdin > "$own/said" 2>&1
printf '%s\\n' "$@" | grep . | sort -u - "$own/ids" | GIT_OBJECT_DIRECTORY=$own git cat-file --batch-check | grep -m1 ' missing$' || [ $? = 1 ]; }; f`;

/**
 * `ids`: commits or trees; "" = none. Checks the folders of each, the commits since the first, and on both
 * sides the files that differ from the first. Throws `invalid_request` if the content of one of these objects
 * does not match its id.
 */
export async function mustBeTrue(git: RepositoryGit, ...ids: string[]): Promise<void> {
  const forged = await ownIndex(async (env) => {
    return (await git.run(["-c", `alias.handrail=${pack}`, "handrail", ...ids], [0], env)).stdout;
  });
  if (forged !== "")
    throw new HandrailError(
      "invalid_request",
      `An object of the repository is not what its id says: ${forged.split(" ")[0]}. Run git fsck.`,
    );
}
