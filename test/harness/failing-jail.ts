// A bubblewrap that fails for chosen commands while it is told to, as on a machine that has run out of
// namespaces.
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { findProgram } from "../../sandbox/exec/environment.ts";

export interface FailingJail {
  /** A `PATH` with which a product finds this bubblewrap. */
  path: string;
  /**
   * true = from now on no jail can be made for a command that contains `word`; false = jails can be made
   * again.
   */
  fail(on: boolean): void;
  remove(): void;
}

/** `path`: the PATH with the real one, or with another fake. */
export function failingJail(word: string, path = process.env.PATH ?? ""): FailingJail {
  const bin = mkdtempSync(join(tmpdir(), "handrail-bin-"));
  const flag = join(bin, "fails");
  const fails = "echo 'bwrap: Creating new namespace failed: No space left on device' >&2; exit 1";
  const script = `#!/bin/sh\n[ -e ${flag} ] && case "$*" in *"${word}"*) ${fails};; esac\nexec ${findProgram("bwrap", path.split(delimiter))} "$@"\n`;
  writeFileSync(join(bin, "bwrap"), script);
  chmodSync(join(bin, "bwrap"), 0o755);
  return {
    path: `${bin}${delimiter}${path}`,
    fail(on) {
      if (on) writeFileSync(flag, "");
      else if (existsSync(flag)) rmSync(flag);
    },
    remove: () => rmSync(bin, { recursive: true }),
  };
}
