// Compares our reading of sed scripts with GNU sed: with `--sandbox` it refuses scripts that run programs or
// touch files, however they are spelled.
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readSedScript } from "../../../functions/command-risk/sed-script.ts";
import { runs } from "../../harness/runs.ts";

const pick = (...texts: string[]) => fc.constantFrom(...texts);
const address = pick(
  "",
  "",
  "1",
  "$",
  "/x/",
  "1,3",
  "/a[/]b/,$",
  "\\,a,",
  "2~3",
  "1!",
  "/x/I,+2",
  "$!",
  "/[]e]/",
);
const command = pick(
  ...[
    "p",
    "d",
    "=",
    "n;p",
    "s/a/b/",
    "s/a/b/gp",
    "s,a/b,e,",
    "s/[/]e/w/",
    "s|a|\\||2",
    "y/ab/cd/",
    "s/x/e\\/w/",
    "q5",
    "bend",
    ":end",
  ],
  ...[
    "a\\\ntext e",
    "i e text",
    "c\\\nw f",
    "{p;p}",
    "{s/a/b/;p\n}",
    "# e\n",
    "h;G;x",
    "l 5",
    "N;P;D",
    "s/a/\\\n/",
    "z",
    "t\np",
  ],
  ...[
    "e",
    "e ls",
    "w f",
    "W f",
    "s/a/b/e",
    "s/a/b/ge",
    "s/a/b/w f",
    "s/a/b/2pe",
    "{e\n}",
    "{p;e ls\n}",
    "s,e,e,e",
    "s/[/]/x/e",
    "r f",
    "R f",
  ],
);
const script = fc
  .array(fc.tuple(address, command, pick(";", "\n", " ; ")), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.map((part) => part.join("")).join(""));

test("what sed refuses in its sandbox mode is detected, except for files that are only read", {
  tags: "random",
}, () => {
  fc.assert(
    fc.property(script, (text) => {
      const { stderr } = spawnSync("sed", ["--sandbox", "-n", text], {
        input: "",
        encoding: "utf8",
        env: { ...process.env, LC_ALL: "C" },
      });
      if (!stderr.includes("sandbox mode")) return;
      const read = readSedScript(text);
      const onlyReads = /(^|[\s;{}$\d/!,I])[rR] f/.test(text);
      expect(!read.ok || read.runs.length > 0 || read.writes.length > 0 || onlyReads).toBe(true);
    }),
    { numRuns: runs(300, 30) },
  );
});
