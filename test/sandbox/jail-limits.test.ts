// Limits of one command on the machine's resources, and the processes that it leaves, with bubblewrap and
// without.
// @module-tag long
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders, until } from "./running-server.ts";

afterAll(removeFolders);

/** Processes of this machine whose command line contains `mark`. */
function alive(mark: string): string[] {
  const found = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" });
  return found.split("\n").filter((line) => line.includes(mark));
}

function describeLimits(name: string, env: Record<string, string>): void {
  let server: RunningServer;
  let workspace: string;
  let id: string;
  const run = (command: string, more: Record<string, unknown> = {}) =>
    server.client.value(ExecValue, id, "exec", { command, ...more });

  beforeEach(async () => {
    workspace = await freshFolder("workspace");
    server = await RunningServer.start({ workspace, env: { ...env, HANDRAIL_COMMAND_MEMORY: "600" } });
    id = (await server.client.create()).id;
  });
  afterEach(async () => {
    await server.stop();
  });

  test("a command with too many processes is ended, and the server keeps running", async () => {
    // The number is limited, so that a watch that fails costs this machine 2,200 sleeping processes at most.
    const value = await run("for i in $(seq 2200); do sleep 31401 & done; wait", { timeoutMs: 60_000 });
    expect(value).toMatchObject({ timedOut: false, signal: "SIGKILL" });
    expect(value.stderr).toContain("more processes and threads than 2048");
    expect((await run("echo on")).stdout).toBe("on\n");
    await until(() => alive("sleep 31401").length === 0);
  });

  test("memory counts over all processes of a command", async () => {
    const hog = `node -e "const held = []; for (let i = 0; i < 18; i++) held.push(Buffer.alloc(20e6, 1)); setTimeout(() => held, 31402000)"`;
    const value = await run(`${hog} & ${hog} & wait`, { timeoutMs: 60_000 });
    expect(value).toMatchObject({ timedOut: false, signal: "SIGKILL" });
    expect(value.stderr).toContain("more memory than 600 MiB");
    expect((await run("echo on")).stdout).toBe("on\n");
    await until(() => alive("31402000").length === 0);
  });

  test("when memory runs out the kernel kills the command and leaves the server alone", async () => {
    expect((await run("cat /proc/self/oom_score_adj; ulimit -c")).stdout).toBe("1000\n0\n");
    expect((await readFile(`/proc/${server.pid}/oom_score_adj`, "utf8")).trim()).not.toBe("1000");
  });

  test("nothing survives that left its process group, its session or its parent", async () => {
    const value = await run(
      "setsid sleep 31403 & (setsid sleep 31403 &) ; nohup sleep 31403 >/dev/null 2>&1 & setsid sh -c 'trap \"\" TERM HUP; setsid sleep 31403 & sleep 31403' & sleep 0.2; echo done",
    );
    expect(value).toMatchObject({ exitCode: 0, stdout: "done\n" });
    await until(() => alive("sleep 31403").length === 0);
  });

  test("nor when the server is killed", async () => {
    const doomed = await RunningServer.start({ workspace, env });
    const { id: where } = await doomed.client.create();
    const call = doomed.client
      .call(where, "exec", {
        command:
          "trap '' TERM HUP; setsid sleep 31404 & (setsid sh -c 'trap \"\" TERM HUP; sleep 31404' &); sleep 31404",
      })
      .catch(() => undefined);
    await until(() => alive("sleep 31404").length > 3);
    await doomed.kill();
    await call;
    await until(() => alive("sleep 31404").length === 0);
  });

  test("a stop of the turn ends a program that ignores SIGTERM, and its output is recorded", async () => {
    await server.client.claim(id, "t1", { epoch: 1 });
    const call = server.client.results(id, {
      access: "write",
      turn: { id: "t1", epoch: 1, round: 1, record: [] },
      calls: [
        {
          key: "t1/1/0",
          op: "exec",
          args: { command: "trap '' TERM; echo begun; while :; do sleep 0.1; done" },
        },
      ],
    });
    await until(async () => JSON.stringify(await server.client.journal(id, "t1")).includes("begun"));
    await server.client.post(`/sandboxes/${id}/turns/t1/stop`);
    expect((await call)[0]).toMatchObject({ ok: false, error: { code: "stopped" } });
    await until(() => alive("echo begun").length === 0);
  });

  test("live text is raw, in order, with the offset of every byte sent; the result is cleaned for reading", async () => {
    // Each piece is printed after the previous one has arrived. Otherwise a slow reader would get two pieces
    // as one.
    const wait = (piece: number) => `until [ -e after-${piece} ]; do sleep 0.02; done`;
    const pieces = ["'\\033[31mred\\033[0m\\n'", "'err\\n' >&2", "'caf\\303'", "'\\251 \\377\\n'"];
    const command = pieces.map((piece, index) => `printf ${piece}; ${wait(index + 1)}`).join("; ");
    let came = 0;
    const lines = await server.client.lines(
      id,
      { access: "write", calls: [{ key: "live", op: "exec", args: { command } }] },
      ({ type }) => {
        if (type !== "output") return undefined;
        came += 1;
        return writeFile(join(workspace, `after-${came}`), "");
      },
    );
    const output = lines.flatMap((line) => (line.type === "output" ? [line] : []));
    expect(output.map(({ stream, offset, text }) => [stream, offset, text])).toEqual([
      ["stdout", 0, "red\n"],
      ["stderr", 0, "err\n"],
      ["stdout", 4, "caf"],
      ["stdout", 7, "é \ufffd\n"],
    ]);
    expect(lines.find((line) => line.type === "result")).toMatchObject({
      value: { stdout: "red\ncafé \ufffd\n", stderr: "err\n" },
    });
  });

  test("folders in memory are limited", async () => {
    if (name === "without a jail") return;
    const { stdout } = await run(
      "df -B1 --output=size /tmp /var/tmp /dev/shm $HOME | sort -u | tail -n 1; touch /dev/x",
    );
    expect(Number(stdout)).toBe(1024 ** 3);
  });

  test("no variable and no open file of the server reaches a command", async () => {
    const { stdout } = await run("env | sort; ls -l /proc/self/fd | wc -l; readlink /proc/self/fd/0");
    expect(stdout).not.toMatch(/sesame|SANDBOX_TOKEN|HANDRAIL_COMMAND_MEMORY/);
    expect(stdout).toMatch(/\n\/dev\/null\n$/);
    expect(Number(/\n(\d+)\n\/dev/.exec(stdout)?.[1])).toBeLessThanOrEqual(5);
  });
}

describe("in the jail", () => describeLimits("in the jail", {}));
describe("without a jail", { tags: "long" }, () =>
  describeLimits("without a jail", { HANDRAIL_NO_BWRAP: "1" }),
);
