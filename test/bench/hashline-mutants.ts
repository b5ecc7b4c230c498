// Breaks every rule of the edit engine once, in a copy, and reports which breaks their test does not notice. Run: npx
// tsx test/bench/hashline-mutants.ts [WORDS OF A BREAK'S NAME OR FILE]
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Break, breaks } from "./hashline-breaks.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** A break that makes a test run forever counts as noticed. */
const timeoutMs = 60_000;
/**
 * Leaves out the tests with files of 200,000 lines and 5 MB, since they take longer than all others together.
 */
const quickTests = "^(?!.*(200,000|5 MB|long file|of thousands)).*$";

/** A copy of the folders that the tests of the engine need. */
function makeCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), "hashline-mutants-"));
  for (const part of ["shared", "test/unit/hashline", "test/bench"]) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  // The tests read real source from these folders. Any source is suitable, and these have enough of it.
  for (const folder of ["functions", "sandbox"])
    cpSync(join(root, "shared"), join(copy, folder), { recursive: true });
  for (const file of ["package.json", "tsconfig.base.json", "vitest.config.ts"])
    cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Ends the process groups that Ctrl-C does not reach. It is called when this process ends. */
let running: (() => void) | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    running?.();
    process.exit(1);
  });
}

/** Whether the tests in `files` fail in the copy. */
function notices(copy: string, files: readonly string[]): Promise<boolean> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const paths = files.map((file) => join("test/unit/hashline", file));
  const args = [
    vitest,
    "run",
    "--root",
    copy,
    "--project",
    "unit",
    "--bail",
    "1",
    "--reporter",
    "dot",
    ...paths,
  ];
  // vitest gets a process group of its own, because a worker in an endless loop outlives the vitest that
  // started it.
  const child = spawn(process.execPath, [...args, "--testNamePattern", quickTests], {
    cwd: copy,
    stdio: "ignore",
    detached: true,
  });
  running = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // The whole group has already ended.
    }
  };
  const timer = setTimeout(running, timeoutMs);
  return new Promise((resolve) => {
    child.once("exit", (code) => {
      clearTimeout(timer);
      running?.();
      running = undefined;
      resolve(code !== 0);
    });
  });
}

function broken(text: string, { name, file, find, put }: Break): string {
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(`${file}: "${name}" is to be found ${parts.length - 1} times, not once`);
  return parts.join(put);
}

async function run(words: string): Promise<void> {
  const chosen = breaks.filter(({ name, file }) => `${file} ${name}`.includes(words));
  const copy = makeCopy();
  let unnoticed = 0;
  try {
    if (await notices(copy, [...new Set(chosen.map(({ by }) => by))]))
      throw new Error("the tests fail, or take too long, without any break");
    for (const one of chosen) {
      const target = join(copy, "shared/hashline", one.file);
      const original = readFileSync(target, "utf8");
      writeFileSync(target, broken(original, one));
      const isNoticed = await notices(copy, [one.by]);
      writeFileSync(target, original);
      if (!isNoticed) unnoticed += 1;
      console.log(`${isNoticed ? "noticed    " : "NOT NOTICED"} ${one.file}: ${one.name} (${one.by})`);
    }
    console.log(`${chosen.length} breaks, ${unnoticed} not noticed`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  process.exitCode = unnoticed > 0 ? 1 : 0;
}

await run(process.argv[2] ?? "");
