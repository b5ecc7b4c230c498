// Attacks while a jail is being made: a command's variables that could affect bubblewrap, and a folder that
// is replaced just before its mount.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, rename, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { guarded } from "../../sandbox/exec/guarded.ts";
import { runProcess } from "../../sandbox/exec/run-process.ts";
import type { Bind } from "../../sandbox/jail/checked-binds.ts";
import { hasEnded } from "../../sandbox/jail/jail-end.ts";
import { jailedProcess } from "../../sandbox/jail/jailed-process.ts";
import type { Gate } from "../../sandbox/jail/process-limit.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { fileExists, freshFolder, RunningServer, removeFolders, until } from "./running-server.ts";

afterAll(removeFolders);

test("a command's variables reach the command and nothing that runs outside the jail", async () => {
  const workspace = await freshFolder("workspace");
  const beside = dirname(workspace);
  const server = await RunningServer.start({ workspace });
  const { id } = await server.client.create();
  const env = {
    ...{
      LD_DEBUG: "libs",
      LD_DEBUG_OUTPUT: join(beside, "loader"),
      BASH_ENV: "/workspace/x",
      PATH: "/usr/bin",
    },
    ...{ GREETING: "a = b'\"\n$HOME", LD_LIBRARY_PATH: workspace },
  };
  const command = 'printf %s "$GREETING|$PATH"';
  const value = await server.client.value(ExecValue, id, "exec", { command, env });
  expect(value.stdout).toBe("a = b'\"\n$HOME|/usr/bin");
  expect(await readdir(beside)).toEqual(["workspace"]);
  await server.stop();
});

/** Runs in a PID namespace, because a guardian outside of one would kill all processes of this machine. */
const namespace = ["--map-root-user", "--pid", "--fork", "--kill-child"];
const mayUnshare = spawnSync("unshare", [...namespace, "true"]).status === 0;

test.skipIf(!mayUnshare)(
  "a program that could end all processes does not start where others are visible",
  () => {
    const inNamespace = (script: string) => {
      const command = ["sh", "-c", script, ...guarded(["echo", "begun"], "all")];
      return spawnSync("unshare", [...namespace, ...command], { encoding: "utf8" }).stdout;
    };
    expect(inNamespace('exec "$0" "$@" 3</dev/null')).toBe("begun\n");
    const others = "for i in 1 2 3 4 5 6 7 8 9; do (:); done";
    expect(inNamespace(`${others}; "$0" "$@" 3</dev/null; echo $?`)).toBe("126\n");
  },
);

const jail = {
  ...{
    bwrap: findProgram("bwrap") ?? "bwrap",
    tmpBytes: undefined,
    taskIds: undefined,
    state: "/nonexistent",
  },
  ...{
    hidesFirst: false,
    groups: undefined,
    memoryBytes: 2 ** 30,
    filters: undefined,
    state: "/nonexistent",
  },
  tools: { places: [], hidden: [], path: [dirname(process.execPath), "/usr/bin", "/bin"], env: {} },
};

/** The workspace, and what else a jail shows in each of the ways that there are. */
const shownNames = ["root", "under", "over", "held"];

/** Starts the prepared run after `meanwhile` has been called. */
async function replacedMeanwhile(foreign: boolean, meanwhile: (base: string) => Promise<void>) {
  const base = await freshFolder("base");
  const root = join(base, "root");
  await mkdir(join(base, "secret"));
  await writeFile(join(base, "secret", "file"), "secret");
  for (const name of shownNames) await mkdir(join(base, name));
  const bound = (name: string): Bind => ({ source: join(base, name), at: `/${name}`, writable: true });
  const { dev, ino } = await stat(join(base, "held"));
  const held = ["--bind", join(base, "held"), "/held"];
  const script = 'for d in /workspace /under /over /held; do cat "$d/file"; touch "$d/made"; done';
  const started = jailedProcess(jail, {
    ...{ root, mount: "/workspace", cwd: "/workspace", writable: true },
    ...{ command: ["/bin/sh", "-c", script], foreign, env: { PATH: "/nothing" } },
    ...{ under: [bound("under")], over: [bound("over")], held },
    heldPlaces: [{ at: "/held", id: `${dev}:${ino}` }],
  });
  await meanwhile(base);
  const outcome = await runProcess({ ...started, timeoutMs: 10_000, maxOutputBytes: 10_000 });
  return { outcome, left: await readdir(join(base, "secret")) };
}

test.each([true, false])(
  "a folder that became a link between check and mount is never used (foreign: %s)",
  async (foreign) => {
    for (const name of shownNames) {
      const { outcome, left } = await replacedMeanwhile(foreign, async (base) => {
        await rename(join(base, name), join(base, "aside"));
        await symlink(join(base, "secret"), join(base, name));
      });
      expect(outcome).toMatchObject({ exitCode: 126, stdout: "" });
      expect(outcome.stderr).toContain("no longer the folder that it was");
      expect(left).toEqual(["file"]);
    }
  },
);

test("a link that was already there is refused", async () => {
  const base = await freshFolder("base");
  await mkdir(join(base, "real", "in"), { recursive: true });
  await symlink(join(base, "real"), join(base, "link"));
  for (const root of ["link", "link/in", "missing"]) {
    const where = { root: join(base, root), mount: "/workspace", cwd: "/workspace" };
    const run = { ...where, writable: false, command: ["true"], foreign: false };
    expect(() => jailedProcess(jail, run)).toThrow(/no longer the folder/);
  }
});

test("a program of the server's own ends with the server, though it has no guardian", async () => {
  const root = await freshFolder("root");
  const { file, args, env } = jailedProcess(jail, {
    ...{ root, mount: "/workspace", cwd: "/workspace", writable: true, foreign: false },
    command: ["/bin/sh", "-c", "touch begun; sleep 300"],
  });
  const server = spawn("/bin/sh", ["-c", '"$0" "$@" & echo $!; wait', file, ...args], { env: { ...env } });
  const [first] = (await once(server.stdout, "data")) as [Buffer];
  await until(() => fileExists(join(root, "begun")));
  server.kill("SIGKILL");
  await until(() => hasEnded(Number(first)));
});

test("a command does not begin before the gates of its jail are through, nor where one fails", async () => {
  const root = await freshFolder("root");
  const seen: boolean[] = [];
  const begun = () => fileExists(join(root, "begun"));
  const run = (...gates: Gate[]) =>
    runProcess({
      ...jailedProcess(jail, {
        ...{ root, mount: "/workspace", cwd: "/workspace", writable: true, foreign: true, gates },
        command: ["/bin/sh", "-c", "touch begun"],
      }),
      ...{ timeoutMs: 10_000, maxOutputBytes: 10_000 },
    });
  const look: Gate = async (pid) => {
    await readdir(`/proc/${pid}/fd`);
    seen.push(begun());
  };
  await expect(run(look, () => Promise.reject(new Error("closed")))).rejects.toThrow("closed");
  expect([seen, begun()]).toEqual([[false], false]);
  expect(await run(look, look)).toMatchObject({ exitCode: 0 });
  expect([seen, begun()]).toEqual([[false, false, false], true]);
});
