import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
let clone = "";

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "handrail-clone-"));
  const filter = (path: string) => !path.includes("node_modules");
  cpSync(join(root, "scripts/tools"), join(clone, "scripts/tools"), { recursive: true, filter });
  cpSync(join(root, "scripts/tools.ts"), join(clone, "scripts/tools.ts"));
  cpSync(join(root, "package.json"), join(clone, "package.json"));
  for (const folder of ["bin", "node_modules"]) mkdirSync(join(clone, folder));
  for (const name of ["tsx", "zod"])
    symlinkSync(join(root, "node_modules", name), join(clone, "node_modules", name));
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

/** Replaces npm with a script that records its arguments and then runs `script`. */
function npm(script: string): void {
  const program = `#!/bin/sh\necho "$@" >> "$HOME/asked"\n${script}\n`;
  writeFileSync(join(clone, "bin/npm"), program, { mode: 0o755 });
}

/** The arguments of each call of npm. */
function asked(): string[] {
  const path = join(clone, "asked");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

function tools(...groups: string[]): { exitCode: number | null; lastLine: string | undefined } {
  const done = spawnSync(process.execPath, ["--import", "tsx", "scripts/tools.ts", ...groups], {
    cwd: clone,
    env: { PATH: `${join(clone, "bin")}:${process.env.PATH}`, HOME: clone },
    encoding: "utf8",
  });
  return { exitCode: done.status, lastLine: `${done.stdout}${done.stderr}`.trim().split("\n").at(-1) };
}

const installs = "mkdir node_modules && cp package-lock.json node_modules/from";
const modules = (group: string) => join(clone, "scripts/tools", group, "node_modules");

test("a group is installed from its own lockfile once, and offline from then on", () => {
  npm(installs);
  expect(tools("deno")).toEqual({ exitCode: 0, lastLine: "installed: deno" });
  const lockfile = readFileSync(join(root, "scripts/tools/deno/package-lock.json"), "utf8");
  expect(readFileSync(join(modules("deno"), "from"), "utf8")).toBe(lockfile);
  npm("exit 1");
  expect(tools("deno")).toEqual({ exitCode: 0, lastLine: "all of them are installed" });
  expect(asked()).toEqual(["ci --no-audit --no-fund"]);
  expect(existsSync(modules("biome"))).toBe(false);
});

test("a failed installation leaves nothing, says how to retry, and is retried", () => {
  npm(`${installs}\necho "npm error code ENOTFOUND\nnpm error network request failed" >&2\nexit 1`);
  expect(tools("workerd")).toEqual({
    exitCode: 1,
    lastLine:
      "The tools in scripts/tools/workerd could not be installed (network request failed); npm's registry is needed once: npm run tools workerd",
  });
  expect([existsSync(modules("workerd")), readdirSync(join(clone, "dist"))]).toEqual([false, []]);
  npm(installs);
  expect(tools("workerd").lastLine).toBe("installed: workerd");
});

test("a changed lockfile is installed again, in place of the old tools", () => {
  npm(installs);
  tools("biome");
  writeFileSync(join(modules("biome"), "old"), "");
  appendFileSync(join(clone, "scripts/tools/biome/package-lock.json"), "\n");
  expect(tools("biome").lastLine).toBe("installed: biome");
  expect(existsSync(join(modules("biome"), "old"))).toBe(false);
});

test("tools that an earlier version's npm ci left in the clone are used while their versions match", () => {
  npm(installs);
  const pinned: Record<string, string> = JSON.parse(
    readFileSync(join(root, "scripts/tools/deno/package.json"), "utf8"),
  ).dependencies;
  mkdirSync(join(clone, "node_modules/deno"));
  const manifest = join(clone, "node_modules/deno/package.json");
  writeFileSync(manifest, JSON.stringify({ version: pinned.deno }));
  expect(tools("deno").lastLine).toBe("all of them are installed");
  writeFileSync(manifest, JSON.stringify({ version: "2.0.0" }));
  expect(tools("deno").lastLine).toBe("installed: deno");
});

test("an unknown group is refused with the list of groups", () => {
  expect(tools("bun")).toEqual({
    exitCode: 1,
    lastLine: "Unknown: bun. The groups are: biome, deno, workerd.",
  });
});
