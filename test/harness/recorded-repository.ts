// The repository of the recorded session, with the programs of its checks: the real TypeScript, and small
// stand-ins for AVA and XO.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));
const fixture = fileURLToPath(new URL("../fixtures/recorded/ky", import.meta.url));

/** `HANDRAIL_TOOLS` for a product whose commands run those checks. */
export const recordedTools = ["typescript", "@typescript", "esbuild", "@esbuild"]
  .map((name) => join(modules, name))
  .join(":");

const compilerOptions = {
  target: "es2022",
  module: "node20",
  lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"],
  strict: true,
  skipLibCheck: true,
  types: [],
};

const typeChallenges = `export type Expect<T extends true> = T;
export type Equal<X, Y> = (<T>() => T extends X ? 1 : 2) extends <T>() => T extends Y ? 1 : 2 ? true : false;
`;

/**
 * Shell code at the beginning of a held check: it reports its command line, and waits until it is released.
 */
const wait = (name: string) => `here=$(dirname "$0")/..
printf '%s' "${name} $*" > "$here/.held"
until [ -e "$here/.go" ]; do sleep 0.05; done
rm "$here/.held" "$here/.go"
`;

/**
 * The check that waits in `folder`, with its arguments, such as "ava test/main.ts"; undefined if none waits.
 */
export function heldProgram(folder: string): string | undefined {
  const said = join(folder, "node_modules/.held");
  return existsSync(said) && !existsSync(join(folder, "node_modules/.go"))
    ? readFileSync(said, "utf8")
    : undefined;
}

/** Releases that check. */
export function letGo(folder: string): void {
  writeFileSync(join(folder, "node_modules/.go"), "");
}

/**
 * Makes the repository in `folder`, committed, with an unreachable remote. `held`: each program of its checks
 * waits until it is released.
 */
export function makeRecordedRepository(folder: string, held = false): void {
  const installed = join(folder, "node_modules");
  mkdirSync(join(installed, ".bin"), { recursive: true });
  mkdirSync(join(installed, "@sindresorhus/tsconfig"), { recursive: true });
  execFileSync("tar", ["-xzf", join(fixture, "ky.tar.gz"), "-C", folder]);
  writeFileSync(join(folder, ".gitignore"), "node_modules\n");
  writeFileSync(join(installed, "@sindresorhus/tsconfig/tsconfig.json"), JSON.stringify({ compilerOptions }));
  mkdirSync(join(installed, "@type-challenges/utils"), { recursive: true });
  writeFileSync(join(installed, "@type-challenges/utils/index.d.ts"), typeChallenges);
  writeFileSync(join(installed, "@type-challenges/utils/package.json"), '{"types":"index.d.ts"}');
  for (const name of ["ava.mjs", "xo.mjs"]) copyFileSync(join(fixture, name), join(installed, name));
  const program = (name: string, ...words: string[]) => {
    const path = join(installed, ".bin", name);
    writeFileSync(
      path,
      `#!/bin/sh\n${held ? wait(name) : ""}exec node ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`,
    );
    chmodSync(path, 0o755);
  };
  program("tsc", join(modules, "typescript/lib/tsc.js"));
  program("ava", join(installed, "ava.mjs"), join(modules, "esbuild/lib/main.js"));
  program("xo", join(installed, "xo.mjs"));
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Tester");
  git("config", "user.email", "tester@example.com");
  git("add", "-A");
  git("commit", "-q", "-m", "Start");
  git("remote", "add", "origin", "https://git.example/ky.git");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
}
