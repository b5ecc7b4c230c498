// System calls that the jail refuses, each really made: with perl, which every machine with git has. Calls
// that must keep working are in jail-programs.test.ts.
// @module-tag long
import { statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasSeccompFilter } from "../../sandbox/jail/seccomp.ts";
import { errno, rules } from "../../shared/seccomp-policy.ts";
import { oneSandbox } from "./one-sandbox.ts";

const arch = hasSeccompFilter(process.arch) ? process.arch : "x64";
const { sandbox, exec } = oneSandbox();

type Access = "readonly" | "write";
const run = async (command: string, access: Access = "write") => (await exec(command, access)).stdout;

const numberOf = (name: string): number => {
  const found = rules.flatMap(({ calls }) => (calls[name] ? [calls[name][arch]] : []))[0];
  if (found === undefined || found === null) throw new Error(`no number of ${name}`);
  return found;
};

/** The error number of one call, or "done". `args`: Perl; strings become pointers. */
const outcome = (name: string, args: string, access?: Access, before = "") =>
  run(
    `perl -e '${before}; my $r = syscall(${numberOf(name)}, ${args}); print $r < 0 ? $! + 0 : "done"'`,
    access,
  );

test("the machine reports that a filter is active", async () => {
  expect((await sandbox().server.client.get("/capabilities")).body).toMatchObject({ seccomp: true });
  expect(await run("grep -h ^Seccomp: /proc/self/status /proc/self/task/*/status")).toMatch(
    /^(Seccomp:\s+2\n)+$/,
  );
});

describe.each(["readonly", "write"] as const)("with %s access", (access) => {
  const always = rules.flatMap(({ calls, answer, when }) =>
    when
      ? []
      : Object.entries(calls).flatMap(([name, call]) => (call[arch] === null ? [] : [{ name, answer }])),
  );
  test.each(always)("$name gets $answer", async ({ name, answer }) => {
    expect(await outcome(name, "-1, -1, -1, -1, -1, 0", access)).toBe(String(errno[answer]));
  });

  test.each([
    ["a user namespace", "unshare", "0x10000000"],
    ["one with a mount namespace", "unshare", "0x10020000"],
    ["a child in a user namespace", "clone", "0x10000011, 0, 0, 0, 0"],
    ["a child in one of every kind", "clone", "0x7e020011, 0, 0, 0, 0"],
    ["typing into a terminal", "ioctl", '0, 0x5412, my $c = "x"'],
    ["the same with bits above those that count", "ioctl", '0, 0x100005412, my $c = "x"'],
    ["pasting into the console", "ioctl", '0, 0x541c, my $c = "\\3"'],
    ["attaching to the jail's first process", "ptrace", "16, 1, 0, 0"],
    ["seizing it", "ptrace", "0x4206, 1, 0, 0"],
    ["the same by a number with bits above", "ptrace", "16, 0x700000001, 0, 0"],
    ["reading its memory", "process_vm_readv", "1, 0, 0, 0, 0, 0"],
    ["writing its memory", "process_vm_writev", "1, 0, 0, 0, 0, 0"],
    ["a descriptor of it", "pidfd_open", "1, 0"],
  ])("%s is refused", async (_, name, args) => {
    expect(await outcome(name, args, access)).toBe(String(errno.EPERM));
  });

  // The last one is small only in its lower 32 bits.
  test.each([3, 4, 15, 17, 21, 26, 28, 29, 30, 31, 38, 39, 40, 43, 44, 45, "0x100000028"])(
    "a socket of family %s is refused",
    async (family) => {
      expect(await outcome("socket", `${family}, 3, 0`, access)).toBe(String(errno.EAFNOSUPPORT));
    },
  );

  test.each([2, 4, 6, 9, 10, 12, 15, 16, 21])(
    "a netlink socket of protocol %s is refused",
    async (protocol) => {
      expect(await outcome("socket", `16, 3, ${protocol}`, access)).toBe(String(errno.EPROTONOSUPPORT));
    },
  );

  test.each(["2, 1, 0", "2, 2, 0", "10, 1, 0", "16, 3, 0"])("a socket (%s) can be created", async (args) => {
    expect(await outcome("socket", args, access)).toBe("done");
  });

  test.each([
    "unshare -U true",
    "unshare -rm true",
    "unshare -Urn true",
    "unshare --map-root-user --pid --fork --mount-proc true",
    "bwrap --unshare-user --ro-bind / / true",
    "nsenter -t 1 -m true",
    "mount -t tmpfs none /tmp",
    "mount --bind /usr /tmp",
    "umount /proc/1",
    "umount -l /proc/1",
    "setpriv --reuid 1 true",
    "dmesg -C",
  ])("%s fails", async (command) => {
    expect(await run(`${command} >/dev/null 2>&1 || echo refused`, access)).toBe("refused\n");
  });
});

describe("a file that would run as its owner or group on the machine", () => {
  const perl = (code: string) => `perl -MFcntl -e '${code}' 2>/dev/null`;
  const attempts = [
    "chmod u+s f",
    "chmod 4755 f",
    "cp /usr/bin/env f && chmod 06755 f",
    "install -m 4755 /bin/true f2",
    perl('sysopen(F, "made", O_CREAT|O_WRONLY, 04755)'),
    perl('sysopen(F, "f", O_RDONLY); chmod(04755, *F)'),
    perl('syscall(268, -100, my $f = "f", 04755)'),
    perl('syscall(452, -100, my $f = "f", 04755, 0)'),
    perl('syscall(133, my $f = "node", 0104755, 0)'),
    perl('syscall(259, -100, my $f = "node", 0104755, 0)'),
    perl('syscall(90, my $f = "f", 04755)'),
    perl('syscall(2, my $f = "made", O_CREAT|O_WRONLY, 04755)'),
    // The argument of openat2 consists of flags, mode and resolve.
    perl('my $how = pack("QQQ", O_CREAT|O_WRONLY, 04755, 0); syscall(437, -100, my $f = "made2", $how, 24)'),
    perl('syscall(85, my $f = "made3", 04755)'),
    ...(process.getuid?.() === 0 ? ["chmod g+s f", "chmod 2755 f"] : []),
  ];
  test.runIf(arch === process.arch).each(attempts)("cannot be created: %s", async (command) => {
    await run(`umask 0; rm -f f made made2 made3 node; : > f; ${command}; true`);
    const modes = ["f", "f2", "made", "made2", "made3", "node"].map(
      (name) => (statSync(join(sandbox().workspace, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o6000,
    );
    expect(modes).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test("and every other mode can, on folders too", async () => {
    const command =
      "mkdir -p m && chmod 1777 m && chmod 700 m && : > m/f && chmod 755 m/f && chmod 0 m/f && echo ok";
    expect(await run(command)).toBe("ok\n");
    expect(await run(perl('print sysopen(F, "f", 0, 06755) ? "ok" : "no"'))).toBe("ok");
  });
});

describe("sockets of this machine", () => {
  let place: string;
  const sockets: { close(): unknown }[] = [];
  beforeAll(async () => {
    place = join(sandbox().workspace, "sockets");
    await mkdir(place);
    const stream = createServer((connection) => connection.end("reached"));
    await new Promise<void>((resolve) => stream.listen(join(place, "stream"), resolve));
    sockets.push(stream);
  });
  afterAll(() => {
    for (const socket of sockets) socket.close();
  });

  test.each([
    `node -e "require('net').connect('sockets/stream').on('data', (d) => console.log(String(d))).on('error', () => {})"`,
    `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un("sockets/stream")) && print <S>'`,
    `perl -MSocket -e 'socketpair(S, T, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un("sockets/stream")) && print <S>'`,
    `perl -MSocket -e 'socketpair(S, T, AF_UNIX, SOCK_SEQPACKET, 0); connect(S, sockaddr_un("sockets/stream")) && print <S>'`,
    `perl -MSocket -e 'open(S, "+<&=1"); connect(S, sockaddr_un("sockets/stream")) && print <S>'`,
  ])("cannot be reached by a read-only command: %s", async (command) => {
    expect(await run(command, "readonly")).not.toContain("reached");
  });

  test("cannot even be asked for by a read-only command", async () => {
    const asked = (access: Access) => outcome("socket", "1, 1, 0", access);
    expect([await asked("readonly"), await asked("write")]).toEqual([String(errno.EACCES), "done"]);
  });

  test.each([1, 5])("a connected pair of type %s can be created", async (type) => {
    expect(
      await run(`perl -MSocket -e 'print socketpair(S, T, AF_UNIX, ${type}, 0) ? "done" : $!'`, "readonly"),
    ).toBe("done");
  });

  test.each([2, 3, "2|SOCK_CLOEXEC", "2|SOCK_NONBLOCK"])(
    "a pair of datagram sockets (type %s), which could be reconnected, cannot",
    async (type) => {
      const command = `perl -MSocket -e 'print socketpair(S, T, AF_UNIX, ${type}, 0) ? "done" : $! + 0'`;
      expect(await run(command, "readonly")).toBe(String(errno.ESOCKTNOSUPPORT));
      expect(await run(command, "write")).toBe("done");
    },
  );
});

test("no file below /proc/1 is there, and no other process reveals a path of the machine", async () => {
  expect(await run("ls -A /proc/1; cat /proc/1/cmdline /proc/1/environ /proc/1/maps 2>/dev/null")).toBe("");
  const files = "cmdline environ maps smaps status stat cgroup comm exe cwd root fd auxv";
  const look = `for p in self $$ $PPID; do for f in ${files}; do cat /proc/$p/$f; readlink /proc/$p/$f; ls -l /proc/$p/$f/; done; done 2>/dev/null | tr '\\0' '\\n'`;
  expect(await run(look)).not.toContain(sandbox().server.state);
  expect(await run("touch /proc/1/x 2>/dev/null || echo refused")).toBe("refused\n");
});
