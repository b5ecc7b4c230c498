// Checks the places on disk that a command's words name: a link that leaves the workspace is a way out, like
// `..`.
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { notAllowed } from "./parse-command.ts";

/** Throws `readonly` if a word, or the value in an option, leads to a place outside `root`. */
export async function checkPlaces(args: readonly string[], cwd: string, root: string): Promise<void> {
  const realRoot = await realpath(root);
  for (const word of args.flatMap(placesIn)) {
    const real = await realpath(resolve(cwd, word)).catch(() => undefined);
    if (real === undefined) continue;
    const way = relative(realRoot, real);
    if (way === ".." || way.startsWith("../") || isAbsolute(way))
      throw notAllowed("a link that leaves the workspace");
  }
}

/**
 * The parts of a word that may be a path: the whole word, since an operand after `--` may begin with `-`; of an option,
 * also what follows `=` or any of its letters, since letters can be joined (`-rfFILE`).
 */
function placesIn(arg: string): string[] {
  if (!arg.startsWith("-")) return [arg];
  const joined = arg.startsWith("--") ? [] : Array.from(arg.slice(2), (_, at) => arg.slice(at + 2));
  return [arg, arg.replace(/^--?[A-Za-z0-9-]*=/, ""), ...joined];
}
