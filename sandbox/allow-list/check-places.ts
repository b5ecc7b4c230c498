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
 * Returns an operand unchanged; for an option, the parts that may be its value: after `=`, or after its
 * letter.
 */
function placesIn(arg: string): string[] {
  if (!arg.startsWith("-")) return [arg];
  return [arg.replace(/^--?[A-Za-z0-9-]*=/, ""), arg.slice(2)].filter(
    (value) => value !== "" && value !== arg,
  );
}
