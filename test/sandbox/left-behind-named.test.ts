// Files in the workspace that a person's own git settings or links name are protected like git's own: a
// command cannot change what git or an editor on the host runs there, unless the person allows the call.
// @module-tag long
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExecValue, ReadValue } from "../../shared/sandbox.ts";
import { gitEverywhere, hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

interface Named {
  name: string;
  /** Sets up the person's settings. `git` works in the workspace. */
  set(root: string, git: (...args: string[]) => string): void;
  /** Each tries to have the program started. `$E` is its path. */
  commands: string[];
  /** A file that the person allows a call to change. */
  file: string;
}

const hook = "#!/bin/sh\n";
const cases: Named[] = [
  {
    name: "the folder of hooks",
    set: (root, git) => {
      mkdirSync(join(root, "hooks-of-ours"));
      writeFileSync(join(root, "hooks-of-ours", "pre-commit"), hook, { mode: 0o755 });
      git("config", "core.hooksPath", "hooks-of-ours");
    },
    commands: [
      'echo "$E" >> hooks-of-ours/pre-commit',
      "cp $E hooks-of-ours/post-index-change",
      "mv hooks-of-ours h; mkdir hooks-of-ours; cp $E hooks-of-ours/pre-commit",
    ],
    file: "hooks-of-ours/pre-commit",
  },
  {
    name: "a folder of hooks that is not there yet",
    set: (_root, git) => git("config", "core.hooksPath", "later/hooks"),
    commands: ["mkdir -p later/hooks; cp $E later/hooks/pre-commit"],
    file: "later/hooks/pre-commit",
  },
  {
    name: "Husky's folder, and what its hooks run",
    set: (root, git) => {
      mkdirSync(join(root, ".husky", "_"), { recursive: true });
      writeFileSync(join(root, ".husky", "_", "pre-commit"), `${hook}. "$(dirname "$0")/../pre-commit"\n`, {
        mode: 0o755,
      });
      writeFileSync(join(root, ".husky", "pre-commit"), "true\n");
      git("config", "core.hooksPath", ".husky/_");
    },
    commands: ['echo "$E" >> .husky/pre-commit', 'echo "$E" >> .husky/_/pre-commit'],
    file: ".husky/pre-commit",
  },
  {
    name: "settings that are included, and what those include",
    set: (root, git) => {
      writeFileSync(join(root, ".gitsettings"), "[include]\n\tpath = more/settings\n");
      mkdirSync(join(root, "more"));
      writeFileSync(join(root, "more", "settings"), "[pull]\n\trebase = true\n");
      git("config", "include.path", "../.gitsettings");
    },
    commands: [
      "printf '[core]\\nfsmonitor=%s\\n' $E >> .gitsettings",
      "printf '[core]\\nfsmonitor=%s\\n' $E >> more/settings",
      "mv more m; mkdir more; printf '[core]\\nfsmonitor=%s\\n' $E > more/settings",
    ],
    file: ".gitsettings",
  },
  {
    name: "a program that git starts",
    set: (root, git) => {
      mkdirSync(join(root, "tools"));
      writeFileSync(join(root, "tools", "watch"), hook, { mode: 0o755 });
      git("config", "core.fsmonitor", "tools/watch");
    },
    commands: ['echo "$E" >> tools/watch', "mv tools t; mkdir tools; cp $E tools/watch"],
    file: "tools/watch",
  },
  {
    name: "a link in place of git's folder of hooks",
    set: (root, git) => {
      mkdirSync(join(root, "scripts", "hooks"), { recursive: true });
      writeFileSync(join(root, "scripts", "hooks", "pre-commit"), hook, { mode: 0o755 });
      // A folder of hooks inside git's own folder would take precedence.
      git("config", "core.bare", "false");
      symlinkSync("../scripts/hooks", join(root, ".git", "hooks"));
    },
    commands: [
      'echo "$E" >> scripts/hooks/pre-commit',
      "cp $E scripts/hooks/post-index-change",
      "mv scripts s; mkdir -p scripts/hooks; cp $E scripts/hooks/pre-commit",
    ],
    file: "scripts/hooks/pre-commit",
  },
];

let server: RunningServer;
let base: string;
let home: string;

beforeAll(async () => {
  base = await freshFolder("served");
  home = newHome(dirname(base));
  server = await RunningServer.start({ workspace: base, env: { HOME: home } });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

describe.each(cases)("$name", ({ set, commands, file, name }) => {
  let root: string;
  let id: string;
  const mark = () => join(dirname(base), `${name}.mark`.replaceAll(/[^a-z.]/gi, "-"));
  const run = (command: string, more = {}) =>
    server.client.value(ExecValue, id, "exec", { command: `E=$PWD/evil; ${command}`, ...more });
  beforeAll(async () => {
    root = join(base, name.replaceAll(/[^a-z]/gi, "-"));
    mkdirSync(root);
    const git = (...args: string[]) => hostGit(home, root, ...args);
    git("init", "-q", "--template=");
    writeFileSync(join(root, "evil"), `#!/bin/sh\ntouch '${mark()}'\n`);
    chmodSync(join(root, "evil"), 0o755);
    set(root, git);
    git("add", "-A");
    git("commit", "-qm", "first", "--no-verify");
    id = (await server.client.create({ source: { path: root.slice(base.length + 1) } })).id;
  });

  test.each(commands)("is not changed by: %s", async (command) => {
    await run(command);
    gitEverywhere(home, root);
    expect(existsSync(mark())).toBe(false);
  });

  test("is not changed by the op change either, and is where the person allows the call", async () => {
    const base = existsSync(join(root, file))
      ? (await server.client.value(ReadValue, id, "read", { path: file })).version
      : null;
    const change = { files: [{ path: file, content: "# mine\n", base }] };
    expect((await server.client.failure(id, "change", change)).code).toBe("forbidden");
    const value = await run(`mkdir -p ${dirname(file)}; echo '# mine' > ${file}`, { editors: true });
    expect(value.exitCode).toBe(0);
    expect(readFileSync(join(root, file), "utf8")).toBe("# mine\n");
  });
});

test("a link to editor settings is protected together with its target", async () => {
  const root = join(base, "linked-settings");
  mkdirSync(join(root, "tools", "vs"), { recursive: true });
  writeFileSync(join(root, "tools", "vs", "tasks.json"), "{}\n");
  symlinkSync("tools/vs", join(root, ".vscode"));
  const { id } = await server.client.create({ source: { path: "linked-settings" } });
  const run = (command: string, more = {}) =>
    server.client.value(ExecValue, id, "exec", { command, ...more });
  for (const command of [
    "echo evil > .vscode/tasks.json",
    "echo evil > tools/vs/tasks.json",
    "echo evil > tools/vs/settings.json",
    "mv tools t; mkdir -p tools/vs; echo evil > tools/vs/tasks.json",
    "rm .vscode; mkdir v; echo evil > v/tasks.json; ln -s v .vscode",
  ]) {
    await run(command);
    const found = ["tasks.json", "settings.json"]
      .map((name) => join(root, ".vscode", name))
      .filter(existsSync);
    for (const path of found) expect([command, readFileSync(path, "utf8")]).toEqual([command, "{}\n"]);
    await run("test ! -e t || { rm -rf tools; mv t tools; }", { editors: true });
  }
  expect((await run("echo '[]' > .vscode/tasks.json", { editors: true })).exitCode).toBe(0);
  expect(readFileSync(join(root, "tools", "vs", "tasks.json"), "utf8")).toBe("[]\n");
});
