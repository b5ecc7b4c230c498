// Breaks the edit engine in many small ways, each in a copy, and tells which breaks no test notices.
// Takes about three minutes. Run: npx tsx test/bench/hashline-mutants.ts [BREAKS] [SEED]
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { seededRandom } from "./hashline-random.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const timeoutMs = 60_000;
/** Those on files of 200,000 lines and 5 MB take longer than all others together. */
const quickTests = "^(?!.*(200,000|5 MB|long file|of thousands)).*$";

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

/** A copy of what the tests of the engine need. */
function makeCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), "hashline-mutants-"));
  for (const part of ["shared", "test/unit/hashline", "test/bench"]) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  // Real source to measure on: what stands in these folders does not matter, that it is source does.
  for (const folder of ["functions", "sandbox"])
    cpSync(join(root, "shared"), join(copy, folder), { recursive: true });
  for (const file of ["package.json", "tsconfig.base.json", "vitest.config.ts"])
    cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** What to end when this process is ended: groups of their own see no Ctrl-C. */
const running = new Set<() => void>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    for (const end of running) end();
    process.exit(1);
  });
}

/** Whether the tests in the copy go red. A break that never ends counts as noticed. */
function notices(copy: string): Promise<boolean> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--root", copy, "--project", "unit", "--bail", "1", "--reporter", "dot"];
  // A process group of its own: a worker in an endless loop outlives the vitest that started it.
  const child = spawn(process.execPath, [...args, "--testNamePattern", quickTests], {
    cwd: copy,
    stdio: "ignore",
    detached: true,
  });
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // All of it has ended by itself.
    }
  };
  running.add(end);
  const timer = setTimeout(end, timeoutMs);
  return new Promise((resolve) => {
    child.once("exit", (code) => {
      clearTimeout(timer);
      running.delete(end);
      end();
      resolve(code !== 0);
    });
  });
}

/** Tries one after the other of `mutants`, which others take from as well; gives what no test noticed. */
async function tryOut(copy: string, mutants: Mutant[]): Promise<Mutant[]> {
  const unnoticed: Mutant[] = [];
  for (let mutant = mutants.pop(); mutant; mutant = mutants.pop()) {
    const { file, line, before, after, text } = mutant;
    const target = join(copy, "shared/hashline", file);
    const original = readFileSync(target, "utf8");
    writeFileSync(target, text);
    if (!(await notices(copy))) {
      unnoticed.push(mutant);
      console.log(`not noticed: ${file}:${line}\n  - ${before.trim()}\n  + ${after.trim()}`);
    }
    writeFileSync(target, original);
  }
  return unnoticed;
}

async function run(breaksWanted: number, seed: number): Promise<void> {
  const copies = Array.from({ length: 2 }, makeCopy);
  try {
    if (await notices(copies[0] ?? ""))
      throw new Error("the tests fail, or take too long, without any break");
    const all = mutantsOf(join(root, "shared/hashline"));
    const random = seededRandom(seed);
    const chosen = new Set<Mutant>();
    while (chosen.size < Math.min(all.length, breaksWanted)) chosen.add(random.pick(all));
    const left = [...chosen];
    const unnoticed = (await Promise.all(copies.map((copy) => tryOut(copy, left)))).flat().length;
    console.log(`${chosen.size} of ${all.length} breaks tried, ${unnoticed} not noticed`);
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  }
}

await run(Number(process.argv[2] ?? 60), Number(process.argv[3] ?? 1));
