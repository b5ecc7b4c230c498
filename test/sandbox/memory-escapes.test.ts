// Memory outside of a process's private memory: every way to use some counts towards a command's limit.
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let id: string;
/** Starts a server for the tests of a `describe` whose commands may use this much. */
function limitedTo(mebibytes: number) {
  beforeAll(async () => {
    server = await RunningServer.start({ env: { HANDRAIL_COMMAND_MEMORY: String(mebibytes) } });
    id = (await server.client.create()).id;
  });
  afterAll(() => server.stop());
}
afterAll(removeFolders);

const run = (command: string) =>
  server.client.value(ExecValue, id, "exec", { command, timeoutMs: 60_000 }, "write");
const memfd = process.arch === "arm64" ? 279 : 319;
const wait = "sleep 31601";
const fill = (path: string, mebibytes: number) => `head -c ${mebibytes}M /dev/zero > ${path}`;
const python = test.skipIf(findProgram("python3") === undefined);

const cases: [string, string][] = [
  ["a file in /dev/shm", `${fill("/dev/shm/x", 500)}; ${wait}`],
  [
    "files in all folders in memory together",
    `for d in /tmp /var/tmp $HOME; do ${fill("$d/x", 130)}; done; ${wait}`,
  ],
  ["many small files", `cd /tmp; for i in $(seq 130); do ${fill("f$i", 3)}; done; ${wait}`],
  ["a deleted file that is held open", `exec 9> /tmp/x; rm /tmp/x; head -c 500M /dev/zero >&9; ${wait}`],
  [
    "a memfd that nobody maps",
    `perl -e 'my $n = "m"; my $f = syscall(${memfd}, $n, 0); open(F, ">&=", $f); print F "x" x (1 << 20) for 1..500; sleep 31601'`,
  ],
  [
    "System V segments that nobody is attached to",
    `perl -e 'for (1..100) { my $i = shmget(0, 5 << 20, 01600) // die $!; shmwrite($i, "x" x (5 << 20), 0, 5 << 20) } sleep 31601'`,
  ],
];

describe("stopped for too much memory:", () => {
  limitedTo(300);

  test.each(cases)("%s", async (_, command) => {
    const value = await run(command);
    expect(value).toMatchObject({ timedOut: false, signal: "SIGKILL" });
    expect(value.stderr).toContain("more memory than 300 MiB");
  });

  python("what is written to sockets and read by nobody", async () => {
    const fill = [
      "import socket, time, resource",
      "most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]; resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))",
      "pairs = [socket.socketpair() for _ in range(3000)]",
      "[one.setblocking(False) for one, _ in pairs]; [one.send(b'x' * 200000) for one, _ in pairs]",
      "time.sleep(31601)",
    ];
    const value = await run(`python3 -c "${fill.join("\n")}"`);
    expect(value.stderr).toContain("more memory than 300 MiB");
  });

  python("page tables of address space that is only read", async () => {
    const fill = [
      "import mmap",
      // MAP_NORESERVE: a terabyte that takes nothing but its tables.
      "space = mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | 0x4000, prot=mmap.PROT_READ)",
      "all(space[at] == 0 for at in range(0, 1 << 40, 2 << 20))",
    ];
    const value = await run(`python3 -c "${fill.join("\n")}"; ${wait}`);
    expect(value.stderr).toContain("more memory than 300 MiB");
  });

  python("what waits in TCP connections", async () => {
    const fill = [
      "import socket, time",
      "s = socket.create_server(('127.0.0.1', 0)); pairs = [(socket.create_connection(s.getsockname()), s.accept()[0]) for _ in range(400)]",
      "def full(one):",
      "  one.setblocking(False)",
      "  try:",
      "    while True: one.send(b'x' * 65536)",
      "  except BlockingIOError: pass",
      "[full(one) for one, _ in pairs]; time.sleep(31601)",
    ];
    const value = await run(`python3 -c "${fill.join("\n")}"`);
    expect(value.stderr).toContain("more memory than 300 MiB");
  });

  python("a shared mapping without a name", async () => {
    const value = await run(
      `python3 -c 'import mmap,time; m = mmap.mmap(-1, 500 << 20); [m.write(b"x" * (1 << 20)) for _ in range(500)]; time.sleep(31601)'`,
    );
    expect(value.stderr).toContain("more memory than 300 MiB");
  });
});

describe("not stopped:", () => {
  // Shared memory that other programs take meanwhile counts as well, so the limit is far above what is held.
  limitedTo(1_000);

  python("processes that share their memory after a fork", async () => {
    const value = await run(
      `python3 -c 'import os,time
held = b"x" * (150 << 20)
for _ in range(9):
    if os.fork() == 0: time.sleep(1.5); os._exit(0)
time.sleep(1.5)
print(len(held) >> 20)'`,
    );
    expect(value).toMatchObject({ exitCode: 0, stdout: "150\n" });
  });

  python("a file in memory that several map", async () => {
    const value = await run(
      `python3 -c 'import mmap,os,time
f = open("/dev/shm/x", "w+b"); f.truncate(150 << 20); m = mmap.mmap(f.fileno(), 150 << 20)
[m.write(b"x" * (1 << 20)) for _ in range(150)]
for _ in range(9):
    if os.fork() == 0: sum(m[i] for i in range(0, len(m), 4096)); time.sleep(1); os._exit(0)
time.sleep(1.5); print("held")'`,
    );
    expect(value).toMatchObject({ exitCode: 0, stdout: "held\n" });
  });

  test("large files that are read and written on disk", async () => {
    const value = await run(`${fill("big", 1_200)} && cat big big > /dev/null && rm big && echo done`);
    expect(value).toMatchObject({ exitCode: 0, stdout: "done\n" });
  });
});
