// A server may be killed in the milliseconds in which bubblewrap makes a jail. The next start ends the rest
// of that jail.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { hasEnded } from "../../sandbox/jail/jail-end.ts";
import { jailedProcess } from "../../sandbox/jail/jailed-process.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

interface Waiting {
  /** Bubblewrap's process outside of the jail, and the jail's first process. */
  outer: ChildProcess;
  inner: number;
}

/** A jail whose first process still waits for the signal to begin. */
async function jailThatWaits(): Promise<Waiting> {
  const root = await freshFolder("workspace");
  const jail = {
    ...{
      bwrap: findProgram("bwrap") ?? "bwrap",
      tmpBytes: undefined,
      taskIds: undefined,
      state: "/nonexistent",
    },
    ...{ hidesFirst: true, groups: undefined, memoryBytes: 2 ** 30, filters: undefined },
    tools: { places: [], hidden: [], path: [dirname(process.execPath), "/usr/bin", "/bin"], env: {} },
  };
  const { file, args, env } = jailedProcess(jail, {
    ...{ root, mount: "/workspace", cwd: "/workspace", writable: true },
    ...{ command: ["/bin/sh", "-c", "sleep 60"], foreign: true },
  });
  const held = ["--unshare-user", "--info-fd", "4", "--userns-block-fd", "5"];
  const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe", "pipe"] as const;
  const outer = spawn(file, [...held, ...args], { env, stdio: [...stdio] });
  const info = outer.stdio[4];
  if (!(info instanceof Readable)) throw new Error("bubblewrap has no pipe to say what it made");
  let told = "";
  for await (const chunk of info) {
    told += String(chunk);
    if (told.includes("}")) break;
  }
  return { outer, inner: Number(/"child-pid": *(\d+)/.exec(told)?.[1]) };
}

test("a jail that can never start ends when a server starts, and one that may still start does not", async () => {
  const left = await jailThatWaits();
  const running = await jailThatWaits();
  left.outer.kill("SIGKILL");
  await once(left.outer, "exit");
  expect(hasEnded(left.inner)).toBe(false);
  const server = await RunningServer.start();
  try {
    await expect.poll(() => hasEnded(left.inner)).toBe(true);
    expect(hasEnded(running.inner)).toBe(false);
  } finally {
    await server.stop();
    process.kill(running.inner, "SIGKILL");
    running.outer.kill("SIGKILL");
  }
});
