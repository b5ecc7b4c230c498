// Breaks the edit engine in many small ways, each in a copy, and tells which breaks no test notices.
// Takes minutes. Run: npx tsx test/bench/hashline-mutants.ts [BREAKS] [SEED]
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { seededRandom } from "./hashline-random.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const timeoutMs = 300_000;

/** What is looked for, and what it becomes. Types and comments are left alone. */
const breaks: [RegExp, string][] = [
  [/ < /g, " <= "],
  [/ > /g, " >= "],
  [/ <= /g, " < "],
  [/ >= /g, " > "],
  [/ === /g, " !== "],
  [/ !== /g, " === "],
  [/ && /g, " || "],
  [/ \|\| /g, " && "],
  [/ \+ 1\b/g, ""],
  [/ - 1\b/g, ""],
  [/\breturn null\b/g, "return 0 as never"],
  [/\btrue\b/g, "false"],
  [/\bfalse\b/g, "true"],
  [/Math\.max/g, "Math.min"],
  [/Math\.min/g, "Math.max"],
  [/ \+= 1\b/g, " += 2"],
  [/\? (\w+) :/g, "? undefined :"],
];

interface Mutant {
  file: string;
  line: number;
  before: string;
  after: string;
  text: string;
}

function mutantsOf(folder: string): Mutant[] {
  return readdirSync(folder)
    .filter((file) => file !== "trigrams.ts")
    .flatMap((file) => {
      const lines = readFileSync(join(folder, file), "utf8").split("\n");
      return lines.flatMap((before, index) =>
        /^\s*(\/\/|\*|\/\*|import|export type|export interface|type |interface )|^\s+\w+\??: [^=]*;$/.test(
          before,
        )
          ? []
          : variants(before).map((after) => ({
              file,
              line: index + 1,
              before,
              after,
              text: lines.with(index, after).join("\n"),
            })),
      );
    });
}

function variants(line: string): string[] {
  return breaks.flatMap(([pattern, replacement]) =>
    [...line.matchAll(pattern)].map(
      (match) => line.slice(0, match.index) + replacement + line.slice(match.index + match[0].length),
    ),
  );
}

function run(breaksWanted: number, seed: number): void {
  const copy = mkdtempSync(join(tmpdir(), "hashline-mutants-"));
  try {
    for (const part of ["shared", "test/unit/hashline", "test/bench"]) {
      cpSync(join(root, part), join(copy, part), { recursive: true });
    }
    for (const folder of ["functions", "sandbox"])
      cpSync(join(root, "shared"), join(copy, folder), { recursive: true });
    for (const file of ["package.json", "tsconfig.base.json", "vitest.config.ts"])
      cpSync(join(root, file), join(copy, file));
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const all = mutantsOf(join(root, "shared/hashline"));
    const random = seededRandom(seed);
    const wanted = Math.min(all.length, breaksWanted);
    const chosen = new Set<Mutant>();
    while (chosen.size < wanted) chosen.add(random.pick(all));
    if (!notices(copy)) console.log("the unbroken code passes");
    else throw new Error("the tests fail without any break");
    let unnoticed = 0;
    for (const mutant of chosen) {
      const target = join(copy, "shared/hashline", mutant.file);
      const original = readFileSync(target, "utf8");
      writeFileSync(target, mutant.text);
      if (!notices(copy)) {
        unnoticed += 1;
        console.log(
          `not noticed: ${mutant.file}:${mutant.line}\n  - ${mutant.before.trim()}\n  + ${mutant.after.trim()}`,
        );
      }
      writeFileSync(target, original);
    }
    console.log(`${wanted} of ${all.length} breaks tried, ${wanted - unnoticed} noticed, ${unnoticed} not`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Whether the tests in the copy go red. A break that never ends counts as noticed. */
function notices(copy: string): boolean {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--root", copy, "--project", "unit", "--bail", "1", "--reporter", "dot"];
  return spawnSync(process.execPath, args, { cwd: copy, timeout: timeoutMs, stdio: "ignore" }).status !== 0;
}

run(Number(process.argv[2] ?? 60), Number(process.argv[3] ?? 1));
