// The jail of the server's own programs: it shows the workspace and what the program needs, gives no right
// beyond reading or writing there, and never shows a folder that took the place of another.
import { spawnSync } from "node:child_process";
import { mkdir, readdir, rename, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { runProcess } from "../../sandbox/exec/run-process.ts";
import type { Bind } from "../../sandbox/jail/checked-binds.ts";
import { tryJail } from "../../sandbox/jail/jail-trial.ts";
import type { Jail } from "../../sandbox/jail/jailed-process.ts";
import { type OwnRun, ownProcess } from "../../sandbox/jail/own-program.ts";
import { findToolchains } from "../../sandbox/jail/toolchains.ts";
import { listening } from "./network-origin.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

const perl = "/usr/bin/perl";
const isRoot = process.getuid?.() === 0;
let jail: Jail;
beforeAll(async () => {
  const { execPath: node, env } = process;
  const path = [dirname(node), "/usr/bin", "/bin"];
  const places = { home: "/nonexistent", path, node, system: ["/usr"], hidden: [], env } as const;
  const tools = findToolchains({ ...places, extra: "none" });
  const tried = await tryJail(await freshFolder("state"), tools, 2 ** 30);
  if (!tried) throw new Error("bubblewrap does not work here");
  jail = tried;
});
afterAll(removeFolders);

async function run(
  script: string,
  more: Partial<OwnRun> = {},
  meanwhile: () => Promise<void> = async () => {},
) {
  const root = more.root ?? (await freshFolder("workspace"));
  const started = ownProcess(jail, {
    ...{ program: perl, root, writable: true, env: { PATH: "/usr/bin:/bin" }, args: [], script },
    ...more,
  });
  await meanwhile();
  return runProcess({ ...started, timeoutMs: 10_000, maxOutputBytes: 10_000 });
}

test("it shows the workspace and the system's programs, and writes only to the workspace if it may", async () => {
  const looks =
    "ls -A / | grep -vxE 'bin|lib.*|sbin|usr|tmp'; ls -A /etc /dev; ls -A /tmp; touch /x /usr/x; touch made";
  const written = await run(looks);
  const root = await freshFolder("workspace");
  const read = await run(looks, { root, writable: false });
  for (const { stdout } of [written, read])
    expect(stdout.split("\n").filter(Boolean)).toEqual([
      "dev",
      "etc",
      "/dev:",
      "null",
      "urandom",
      "/etc:",
      "ld.so.cache",
      expect.stringMatching(/^handrail-test-/),
    ]);
  expect(written.stderr).toMatch(/'\/x': Read-only file system[\s\S]*'\/usr\/x': Read-only file system\n$/);
  expect(read.stderr).toContain("'made': Read-only file system");
  expect(await readdir(root)).toEqual([]);
});

test("it reaches no service of this machine", async () => {
  const server = createServer((socket) => socket.end("reached"));
  onTestFinished(() => void server.close());
  const port = await listening(server);
  const script = `exec ${perl} -MIO::Socket::INET -e 'print IO::Socket::INET->new("127.0.0.1:${port}") ? "reached" : "cut off"'`;
  expect((await run(script)).stdout).toBe("cut off");
});

test.runIf(isRoot)("root has no right in it but that to read and write any user's files", async () => {
  const root = await freshFolder("workspace");
  await writeFile(join(root, "theirs"), "theirs\n", { mode: 0o600 });
  spawnSync("chown", ["54321:54321", join(root, "theirs")]);
  const { stdout } = await run(
    "cat theirs; chown 1:1 theirs 2>/dev/null || echo kept; mknod dev c 1 3 2>/dev/null || echo none",
    { root },
  );
  expect(stdout).toBe("theirs\nkept\nnone\n");
});

test("the kernel's filter applies: no set-uid file, and no Unix socket for a program that only reads", async () => {
  const socket = `${perl} -MSocket -e 'print socket(my $s, AF_UNIX, SOCK_STREAM, 0) ? "socket\\n" : "none\\n"'`;
  const script = `touch f; chmod 4755 f 2>/dev/null || echo refused; ${socket}`;
  expect((await run(script)).stdout).toBe("refused\nsocket\n");
  expect((await run(socket, { writable: false })).stdout).toBe("none\n");
});

/** Each way in which a folder gets into the jail. */
const shownNames = ["root", "store", "under", "over", "held"];

test("a folder that became a link between check and mount is never used", async () => {
  for (const name of shownNames) {
    const base = await freshFolder("base");
    await mkdir(join(base, "secret"));
    await writeFile(join(base, "secret", "file"), "secret");
    for (const one of shownNames) await mkdir(join(base, one));
    const bound = (one: string): Bind => ({ source: join(base, one), at: join(base, one), writable: true });
    const { dev, ino } = await stat(join(base, "held"));
    const script = `for d in ${shownNames.join(" ")}; do cat ${base}/$d/file; touch ${base}/$d/made; done`;
    const shown = {
      ...{
        root: join(base, "root"),
        store: join(base, "store"),
        under: [bound("under")],
        over: [bound("over")],
      },
      held: ["--bind", join(base, "held"), join(base, "held")],
      heldPlaces: [{ at: join(base, "held"), id: `${dev}:${ino}` }],
    };
    const outcome = await run(script, shown, async () => {
      await rename(join(base, name), join(base, "aside"));
      await symlink(join(base, "secret"), join(base, name));
    });
    expect([name, outcome.exitCode, outcome.stdout]).toEqual([name, 126, ""]);
    expect(await readdir(join(base, "secret"))).toEqual(["file"]);
  }
});

test("what is held cannot be written, and the state folder stays hidden in a folder that is shown", async () => {
  const base = await freshFolder("base");
  const [root, state] = [join(base, "root"), join(base, "state")];
  for (const folder of [state, join(root, "held")]) await mkdir(folder, { recursive: true });
  await writeFile(join(state, "journal"), "secret\n");
  const { stdout } = await run(`touch held/x 2>/dev/null || echo held; cat ${state}/journal 2>/dev/null`, {
    ...{ root, under: [{ source: base, at: base, writable: false }], mounts: ["--tmpfs", state] },
    held: ["--ro-bind", join(root, "held"), join(root, "held")],
  });
  expect(stdout).toBe("held\n");
});
