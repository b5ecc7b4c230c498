// Which sockets and FIFOs count as left by a command and of no more use. All others stay out of reach, because
// a service of the machine may have made them.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, closeSync, constants, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { abandoned } from "../../sandbox/jail/abandoned-sockets.ts";
import { leftFifos } from "../../sandbox/jail/left-fifos.ts";
import { entryAt } from "../../sandbox/workspace/looked-at.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

let root: string;
beforeEach(async () => {
  root = await freshFolder("workspace");
});
afterEach(removeFolders);

const entries = (...paths: string[]) => paths.flatMap((path) => entryAt(root, path) ?? []);
const fifo = (path: string) => {
  execFileSync("mkfifo", [join(root, path)]);
  return entries(path);
};

/** Starts perl, which makes a socket and then prints a line. */
async function socket(make: string, before: readonly string[] = []): Promise<void> {
  const script = `use Socket; $| = 1; ${make}; print "made\\n"; sleep 1000`;
  const [program = "perl", ...args] = [...before, "perl", "-e", script];
  const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
}
const bound = (path: string, type = "SOCK_STREAM") =>
  `socket(S, AF_UNIX, ${type}, 0) && bind(S, pack_sockaddr_un("${path}")) or die`;

describe("of sockets", () => {
  const isAbandoned = async (path: string) => (await abandoned(root, entries(path))).length === 1;

  test("one whose process has ended is of no use", async () => {
    execFileSync("perl", ["-e", `use Socket; ${bound("s")}`], { cwd: root });
    expect(await isAbandoned("s")).toBe(true);
  });

  test.each([
    ["listens", () => `${bound(join(root, "s"))}; listen(S, 5)`],
    ["is bound by its whole path and does not listen yet", () => bound(join(root, "s"))],
    ["is bound by a relative path and does not listen yet", () => bound("s")],
    ["waits for datagrams", () => bound("s", "SOCK_DGRAM")],
  ])("one that %s is in use", async (_, make) => {
    await socket(make());
    expect(await isAbandoned("s")).toBe(false);
  });

  test("one that waits for datagrams in another network namespace, as in a container, is in use", async () => {
    const apart = ["--dev-bind", "/", "/", "--unshare-net", "--die-with-parent"];
    await socket(bound("s", "SOCK_DGRAM"), [findProgram("bwrap") ?? "bwrap", ...apart]);
    expect(await isAbandoned("s")).toBe(false);
  });

  test("a FIFO is none", async () => {
    expect(await abandoned(root, fifo("f"))).toEqual([]);
  });
});

describe("of FIFOs", () => {
  const open = (path: string) => {
    const file = openSync(join(root, path), constants.O_RDWR | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(file));
  };

  test("one that nobody has open is of no use, although another of that name is open", async () => {
    mkdirSync(join(root, "other"));
    fifo("other/f");
    open("other/f");
    expect(leftFifos(root, fifo("f"))).toHaveLength(1);
  });

  test("one that a process has open is in use, and so is a socket", async () => {
    const found = fifo("f");
    open("f");
    execFileSync("perl", ["-e", `use Socket; ${bound("s")}`], { cwd: root });
    expect(leftFifos(root, [...found, ...entries("s")])).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)("one of another user does not come from a command", async () => {
    const found = fifo("f");
    chownSync(join(root, "f"), 54_321, 54_321);
    expect(leftFifos(root, found)).toEqual([]);
  });
});
