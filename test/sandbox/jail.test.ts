// The limits of a command in the jail, with this machine's real bubblewrap.

import { execFileSync } from "node:child_process";
import { existsSync, readlinkSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders, until } from "./running-server.ts";
import type { SandboxClient } from "./sandbox-client.ts";

let server: RunningServer;
let client: SandboxClient;
let workspace: string;
let id: string;

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  await writeFile(join(workspace, "kept.txt"), "kept\n");
  await mkdir(join(dirname(workspace), "beside"));
  await writeFile(join(dirname(workspace), "beside", "secret.txt"), "secret\n");
  await symlink(join(dirname(workspace), "beside"), join(workspace, "out"));
  server = await RunningServer.start({ workspace });
  client = server.client;
  id = (await client.create()).id;
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const run = (
  command: string,
  access: "readonly" | "write" = "readonly",
  more: Record<string, unknown> = {},
) => client.value(ExecValue, id, "exec", { command, ...more }, access);

describe("a read-only command", () => {
  test("is confined by the operating system", async () => {
    expect((await client.get("/capabilities")).body).toMatchObject({
      isolation: "bubblewrap",
      readonlyExec: "os",
    });
  });

  test.each([
    "touch new.txt",
    "echo x >> kept.txt",
    "rm kept.txt",
    "mkdir d",
    "mv kept.txt m",
    "chmod 777 kept.txt",
    "git init -q .",
    "mount -o remount,rw .",
    "touch out/new.txt",
    "unshare -rm sh -c 'mount -o remount,rw,bind . && touch new.txt'",
  ])("writes nothing: %s", async (command) => {
    expect((await run(command)).exitCode).not.toBe(0);
    expect((await readdir(workspace)).sort()).toEqual(["kept.txt", "out"]);
    expect(await readFile(join(workspace, "kept.txt"), "utf8")).toBe("kept\n");
  });

  test("reads the workspace, runs node, and may write to its own /tmp", async () => {
    const value = await run('cat kept.txt && node -e "console.log(6*7)" && touch /tmp/mine && ls /tmp/mine');
    expect(value).toMatchObject({ exitCode: 0, stdout: "kept\n42\n/tmp/mine\n" });
    expect((await run("ls /tmp")).stdout).not.toContain("mine");
  });
});

describe.each(["readonly", "write"] as const)("with %s access a command", (access) => {
  test("does not see the home, the state folder, or what is beside the workspace", async () => {
    for (const path of [
      homedir(),
      server.state,
      join(dirname(workspace), "beside"),
      "out/secret.txt",
      "/etc/shadow",
      "/root",
    ]) {
      expect([path, (await run(`ls -d '${path}' && cat '${path}'`, access)).exitCode]).not.toEqual([path, 0]);
    }
    expect((await run("cat out/secret.txt", access)).stdout).toBe("");
  });

  test("has no network", async () => {
    const web = createServer((_, response) => response.end("reached"));
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    const { port } = web.address() as AddressInfo;
    const get = `node -e "fetch('http://127.0.0.1:${port}').then(r=>r.text()).then(console.log,()=>console.log('cut off'))"`;
    expect((await run(get, access)).stdout).toBe("cut off\n");
    web.close();
  });

  test("gets no variable of the server", async () => {
    const { stdout } = await run("env; cat /proc/*/environ | tr '\\0' '\\n'", access);
    expect(stdout).not.toContain("sesame");
    expect(stdout).not.toContain("SANDBOX_TOKEN");
    expect((await run("echo $HOME $LANG $GREETING", access, { env: { GREETING: "hi" } })).stdout).toBe(
      "/home/agent C.UTF-8 hi\n",
    );
  });

  test("cannot see or end processes of the machine", { tags: "long" }, async () => {
    expect(
      (await run(`kill -9 ${server.pid}; ls /proc | grep -c '^[0-9]'`, access)).stdout.trim().length,
    ).toBeLessThan(3);
    expect((await client.get("/capabilities")).status).toBe(200);
  });
});

test("a command has no capability, its own session, and no namespace through which it could talk", async () => {
  const names = ["pid", "ipc", "uts", "net", "mnt", "cgroup"];
  const links = names.map((name) => `readlink /proc/self/ns/${name}`).join("; ");
  const { stdout } = await run(
    `${links}; grep CapEff /proc/self/status; cut -d' ' -f6 /proc/self/stat`,
    "write",
  );
  const lines = stdout.trim().split("\n");
  const capabilities = lines[names.length];
  const session = lines[names.length + 1];
  for (const [index, name] of names.entries()) {
    expect(lines[index]).toMatch(`${name}:[`);
    expect(lines[index]).not.toBe(readlinkSync(`/proc/self/ns/${name}`));
  }
  expect(capabilities).toMatch(/^CapEff:\s+0+$/);
  // A process id from outside would show as 0 inside.
  expect(Number(session)).toBeGreaterThan(0);
});

test("a command writes no kernel setting, whichever user it runs as", async () => {
  const command = "find /proc -path '/proc/[0-9]*' -prune -o -type f -writable -print 2>/dev/null";
  expect(await run(command, "write")).toMatchObject({ stdout: "" });
  // This must not depend on root's right to its own files.
  const tries = "for f in /proc/sys/kernel/hostname /proc/mtrr; do [ ! -e $f ] || : >> $f; done";
  expect((await run(tries, "write")).stderr.match(/Read-only file system|Permission denied/g)).not.toBeNull();
});

// /proc takes no new folder anywhere; but only a mount that cannot be written to says so in these words.
test.each(
  ["sys", "pressure", "mtrr", "acpi", "driver", "fs", "scsi", "tty", "asound", "dynamic_debug"].filter(
    (name) => existsSync(join("/proc", name)),
  ),
)("/proc/%s cannot be written to, whatever is in it", async (name) => {
  const change = `chmod 777 /proc/${name} || touch /proc/${name}`;
  expect((await run(change, "write")).stderr.match(/Read-only file system/g)).toHaveLength(2);
});

test("a command creates nothing in /dev or in the root folder", async () => {
  const { stdout } = await run(
    "touch /dev/made /made 2>/dev/null; ls -d /dev/made /made 2>/dev/null",
    "write",
  );
  expect(stdout).toBe("");
});

describe("a command that may write", () => {
  test("writes to the workspace and nowhere else", async () => {
    expect((await run("echo new > new.txt && rm new.txt", "write")).exitCode).toBe(0);
    for (const path of ["/usr/new", "/etc/new", "/new", "/home/new"])
      expect((await run(`touch ${path}`, "write")).exitCode).not.toBe(0);
    // Opened for writing without being written.
    for (const path of ["/etc/passwd", "/etc/hosts", "/usr/bin/env"])
      expect([path, (await run(`: >> ${path}`, "write")).exitCode]).not.toEqual([path, 0]);
    expect((await run("touch /etc/ssl/certs/new", "write")).exitCode).not.toBe(0);
  });

  test("never reaches this machine's loopback, whatever network its sandbox has", {
    tags: "long",
  }, async () => {
    const web = createServer((_, response) => response.end("reached"));
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    const { port } = web.address() as AddressInfo;
    const get = {
      command: `node -e "fetch('http://127.0.0.1:${port}').then(r=>r.text()).then(console.log,()=>console.log('cut off'))"`,
    };
    for (const network of ["none", "registries", "full"]) {
      const { id: box } = await client.create({ network });
      for (const access of ["readonly", "write"] as const)
        expect([network, (await client.value(ExecValue, box, "exec", get, access)).stdout]).toEqual([
          network,
          "cut off\n",
        ]);
    }
    web.close();
  });
});

/** Time for a command that should hit its time limit to begin, even on a busy machine. */
const toBeginMs = 5_000;

/** Processes of this machine whose command line contains `mark`. */
function alive(mark: string): string[] {
  const found = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" });
  return found.split("\n").filter((line) => line.includes(mark));
}

describe.each([
  { name: "in the jail", env: {}, place: "first" },
  { name: "without a jail", env: { HANDRAIL_NO_BWRAP: "1" }, place: "further" },
])("$name, processes", ({ env, place }) => {
  let own: RunningServer;
  let box: string;
  const exec = (args: Record<string, unknown>) => own.client.value(ExecValue, box, "exec", args, "write");
  beforeAll(async () => {
    own = await RunningServer.start({ env });
    box = (await own.client.create()).id;
  });
  afterAll(async () => {
    await own.stop();
  });

  test("left in the background do not delay the result, and end with the command", async () => {
    const value = await exec({ command: "sleep 31337 & (sleep 31338 &) ; echo done" });
    expect(value).toMatchObject({ exitCode: 0, stdout: "done\n", timedOut: false });
    await until(() => alive("sleep 3133").length === 0);
  });

  test("that ignore SIGTERM end at the time limit", { tags: place === "first" ? [] : "long" }, async () => {
    const value = await exec({
      command: "trap '' TERM; echo begun; while :; do sleep 0.1; done",
      timeoutMs: toBeginMs,
    });
    expect(value).toMatchObject({ exitCode: null, timedOut: true, stdout: "begun\n" });
  });

  test("are asked to end at the time limit before they are ended", { tags: "long" }, async () => {
    const value = await exec({
      command: "trap 'echo bye; exit 3' TERM; echo begun; while :; do sleep 0.05; done",
      timeoutMs: toBeginMs,
    });
    expect(value).toMatchObject({ exitCode: 3, timedOut: true, stdout: "begun\nbye\n" });
  });

  test("a fork bomb ends at the time limit", { tags: "long" }, async () => {
    const value = await exec({
      command: "b() { sleep 31341 & sleep 31341 & sleep 0.05; b; }; b",
      timeoutMs: 500,
    });
    expect(value.timedOut).toBe(true);
    await until(() => alive("sleep 31341").length === 0);
  });

  test("end when the server is killed", async () => {
    const doomed = await RunningServer.start({ env });
    const { id: where } = await doomed.client.create();
    const call = doomed.client
      .call(where, "exec", {
        command: "trap '' TERM HUP INT; touch begun; sleep 31339 & sleep 31339; sleep 31339",
      })
      .catch(() => undefined);
    // The command has begun by its first own act. Before that, only bubblewrap would be found, whose
    // arguments contain the command.
    await until(() => existsSync(join(doomed.state, "sandboxes", where, "workspace", "begun")));
    await until(() => alive("sleep 31339").length > 0);
    await doomed.kill();
    await call;
    await until(() => alive("sleep 31339").length === 0);
  });

  test("get no input to wait for", { tags: "long" }, async () => {
    expect(await exec({ command: "cat; echo over" })).toMatchObject({ stdout: "over\n", exitCode: 0 });
  });

  test("that print endlessly keep head and tail within the limit", { tags: "long" }, async () => {
    const value = await exec({
      command: "echo first; yes middle | head -c 3000200; echo last; echo problem >&2",
      maxOutputBytes: 4_000,
    });
    expect(value.truncated).toBe(true);
    expect(value.stdout).toMatch(/^first\nmiddle/);
    expect(value.stdout).toMatch(/bytes cut[\s\S]*middle\nlast\n$/);
    expect(value.stderr).toBe("problem\n");
    expect(Buffer.byteLength(value.stdout) + value.stderr.length).toBeLessThan(4_100);
  });

  test("that print colours and broken UTF-8 give clean text", { tags: "long" }, async () => {
    const value = await exec({
      command: "printf '\\033[1;31mred\\033[0m \\033]0;title\\007\\377\\303(\\303\\274\\n'",
    });
    expect(value.stdout).toBe("red \ufffd\ufffd(ü\n");
  });
});
