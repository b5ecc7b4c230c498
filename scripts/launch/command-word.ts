// The command with which a person starts the package: its program's name, or npx with its argument.
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";

/** package.json in the folder that npx creates for its argument (npm 7 to 11, libnpmexec). */
const Npx = z.object({ _npx: z.object({ packages: z.array(z.string()) }) });

/** `root`: the package's folder. Never throws. */
export function commandWord(root: string): string {
  const installed = dirname(dirname(root));
  const manifest = join(installed, "package.json");
  if (basename(dirname(installed)) !== "_npx" || !existsSync(manifest)) return "handrail";
  try {
    const [given] = z.parse(Npx, JSON.parse(readFileSync(manifest, "utf8")))._npx.packages;
    return `npx ${given === undefined ? "handrail" : quoted(given)}`;
  } catch {
    return "npx handrail";
  }
}

function quoted(text: string): string {
  return /^[\w@%+=:,./~^-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
