// Toolchains in a person's home folder: commands in the jail find them, and nothing else of the home folder.
// @module-tag long
import { chmod, copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders, token } from "./running-server.ts";

let home: string;

async function program(path: string, says: string): Promise<void> {
  await text(path, `#!/bin/sh\n${says}\n`);
  await chmod(join(home, path), 0o755);
}

async function text(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), content);
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await symlink(target.startsWith("/") ? target : join(home, target), join(home, path));
}

const bins = [
  ".nvm/versions/node/v20/bin",
  ".cargo/bin",
  ".pyenv/shims",
  ".pyenv/bin",
  ".local/bin",
  "bin",
  ".sdkman/candidates/java/current/bin",
  "project/.venv/bin",
];

const secrets = [
  ".ssh/id_ed25519",
  ".netrc",
  ".cargo/credentials.toml",
  ".local/share/keyrings/login.keyring",
  ".config/gh/hosts.yml",
  ".nvm/alias/default",
  "project/.env",
  "notes.txt",
  "work/tool/private.txt",
];

beforeAll(async () => {
  home = await freshFolder("home");
  await program(".nvm/versions/node/v20/bin/nvm-tool", "cat $(dirname $0)/../lib/node_modules/x/data");
  await text(".nvm/versions/node/v20/lib/node_modules/x/data", "nvm data\n");
  await program(".cargo/bin/rustup", "cat $RUSTUP_HOME/toolchains/stable/data");
  await link(".cargo/bin/rustup", ".cargo/bin/rustc");
  await text(".rustup/toolchains/stable/data", "rust data\n");
  await program(".pyenv/shims/py-tool", "cat $PYENV_ROOT/versions/3.12/lib/python3.12/data");
  await text(".pyenv/versions/3.12/lib/python3.12/data", "python data\n");
  // Like pyenv's hook after an installation, this program writes shims and exits with 1 if it cannot.
  await program(
    ".pyenv/pyenv.d/exec/pip-rehash/pip",
    "echo installed; touch $PYENV_ROOT/shims/new || exit 1",
  );
  await program(
    ".pyenv/shims/pip",
    'p=$PYENV_ROOT/pyenv.d/exec/pip-rehash/pip; [ -x $p ] && exec $p "$@"; echo installed',
  );
  await program(".local/share/pipx/venvs/black/bin/black", "cat $(dirname $(readlink -f $0))/../lib/data");
  await text(".local/share/pipx/venvs/black/lib/data", "black data\n");
  await text(".local/share/pipx/venvs/black/pyvenv.cfg", "home = /usr/bin\n");
  await link(".local/share/pipx/venvs/black/bin/black", ".local/bin/black");
  await program("work/tool/cli", "echo single program");
  await link("work/tool/cli", ".local/bin/cli");
  await program("bin/mine", "echo my own");
  await program(".sdkman/candidates/java/17/bin/java", "cat $JAVA_HOME/lib/modules");
  await text(".sdkman/candidates/java/17/lib/modules", "java modules\n");
  await link(".sdkman/candidates/java/17", ".sdkman/candidates/java/current");
  await text("project/.venv/pyvenv.cfg", "home = x\n");
  await mkdir(join(home, "project", ".venv", "bin"), { recursive: true });
  await link("uv/python/bin/python3.12", "project/.venv/bin/python");
  await program("uv/python/bin/python3.12", "cat $(dirname $(readlink -f $0))/../lib/python3.12/data");
  await text("uv/python/lib/python3.12/data", "uv data\n");
  for (const path of secrets) await text(path, "a secret\n");
});
afterAll(removeFolders);

async function start(more: { env?: Record<string, string>; args?: string[]; state?: string } = {}) {
  const path = [...bins.map((bin) => join(home, bin)), home, process.env.PATH].join(":");
  const java = join(home, ".sdkman/candidates/java/current");
  const server = await RunningServer.start({
    ...more,
    env: { HOME: home, PATH: path, JAVA_HOME: java, ...more.env },
  });
  const { id } = await server.client.create();
  const run = (command: string, access: "readonly" | "write" = "write") =>
    server.client.value(ExecValue, id, "exec", { command }, access);
  return { server, run };
}

describe("with the toolchains on the PATH", () => {
  let server: RunningServer;
  let run: Awaited<ReturnType<typeof start>>["run"];
  beforeAll(async () => {
    ({ server, run } = await start());
  });
  afterAll(async () => {
    await server.stop();
  });

  test.each([
    ["nvm-tool", "nvm data"],
    ["rustc", "rust data"],
    ["py-tool", "python data"],
    ["pip install x", "installed"],
    ["black", "black data"],
    ["cli", "single program"],
    ["mine", "my own"],
    ["java", "java modules"],
    ["python", "uv data"],
  ])("%s runs with the files that belong to it", async (name, says) => {
    expect(await run(name, "readonly")).toMatchObject({ exitCode: 0, stdout: `${says}\n` });
    expect(await run(name)).toMatchObject({ exitCode: 0, stdout: `${says}\n` });
  });

  test.each(secrets)("%s is not there", async (path) => {
    const { exitCode, stdout } = await run(`cat ${join(home, path)}`);
    expect([exitCode, stdout]).toEqual([1, ""]);
  });

  test("nothing of them can be written", async () => {
    const folders = bins.map((bin) => join(home, bin)).join(" ");
    await run(`for d in ${folders}; do touch $d/new; echo x > $d/mine; done`);
    expect((await run(`ls ${folders} | grep -c new`)).stdout).toBe("0\n");
    expect((await run("mine")).stdout).toBe("my own\n");
  });

  test("the command's home is an empty folder of its own", async () => {
    expect((await run("echo $HOME; ls -A $HOME; touch $HOME/x; ls $HOME")).stdout).toBe("/home/agent\nx\n");
  });
});

test("more folders can be named, and none can be given with `none`", { tags: "long" }, async () => {
  const more = await start({ args: ["--tools", join(home, "work")] });
  expect((await more.run(`cat ${join(home, "work/tool/private.txt")}`)).stdout).toBe("a secret\n");
  expect((await more.run("nvm-tool")).stdout).toBe("nvm data\n");
  await more.server.stop();
  const none = await start({ env: { HANDRAIL_TOOLS: "none" } });
  expect((await none.run("mine || black || rustc")).exitCode).toBe(127);
  expect((await none.run("node -e 'console.log(1)'")).stdout).toBe("1\n");
  await none.server.stop();
});

test("the home and the state folder cannot be named, nor folders that contain them or do not exist", async () => {
  const state = await freshFolder("state");
  for (const folder of [home, dirname(home), "/", state, join(state, "sandboxes"), join(home, "missing")]) {
    await expect(start({ state, args: ["--tools", folder] })).rejects.toThrow("--tools");
  }
});

test("a state folder on the path to a program stays hidden", { tags: "long" }, async () => {
  await mkdir(join(home, ".nvm/versions/node/v20/state"));
  const { server, run } = await start({ state: join(home, ".nvm/versions/node/v20/state") });
  expect((await run("nvm-tool")).exitCode).not.toBe(0);
  expect((await run(`ls ${server.state}`)).exitCode).not.toBe(0);
  await server.stop();
});

test("the server's own node runs from the home folder, alone or as an installation", async () => {
  await mkdir(join(home, "downloads"));
  await copyFile(process.execPath, join(home, "downloads", "node"));
  await text("downloads/letter.txt", "a secret\n");
  const server = await RunningServer.start({ node: join(home, "downloads", "node"), env: { HOME: home } });
  expect((await server.client.get("/capabilities")).body).toMatchObject({ isolation: "bubblewrap" });
  const { id } = await server.client.create();
  const value = await server.client.value(ExecValue, id, "exec", {
    command: `node -e "console.log(process.execPath)"; cat ${join(home, "downloads", "letter.txt")}`,
  });
  expect(value.stdout).toBe(`${join(home, "downloads", "node")}\n`);
  expect(JSON.stringify(value)).not.toContain(token);
  await server.stop();
});
