// Folders with the software of many makers: a command sees the installations on the PATH, but not their
// sockets and running data.
import { chmod, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { runProcess } from "../../sandbox/exec/run-process.ts";
import { shownFolders } from "../../sandbox/jail/jail.ts";
import { jailedProcess } from "../../sandbox/jail/jailed-process.ts";
import { writeSeccompFiles } from "../../sandbox/jail/seccomp-files.ts";
import { findToolchains, type Toolchains } from "../../sandbox/jail/toolchains.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let opt: string;
let system: string;
let home: string;
const servers: Server[] = [];

async function program(path: string, says: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${says}\n`);
  await chmod(path, 0o755);
}

async function text(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "here\n");
}

async function socket(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const server = createServer((connection) => connection.end("reached"));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  servers.push(server);
}

beforeAll(async () => {
  opt = await realpath(await freshFolder("opt"));
  system = await realpath(await freshFolder("system"));
  home = await realpath(await freshFolder("home"));
  await program(join(opt, "jdk/bin/java"), 'cat "$(dirname "$0")/../lib/rt"');
  await text(join(opt, "jdk/lib/rt"));
  await program(join(opt, "maker/browser/browser"), 'cat "$(dirname "$(readlink -f "$0")")/locale"');
  await text(join(opt, "maker/browser/locale"));
  await text(join(opt, "maker/other/data"));
  await symlink(join(opt, "maker/browser/browser"), join(system, "browser"));
  await program(join(opt, "stack/bin/db"), "echo db");
  await socket(join(opt, "stack/var/run/db.sock"));
  await socket(join(opt, "stack/run/db.sock"));
  await socket(join(opt, "stack/lib/db.sock"));
  await text(join(opt, "secret/data"));
  await program(join(opt, "loose"), "echo loose");
  await text(join(opt, "sdk/lib/modules"));
});
afterAll(async () => {
  for (const server of servers) server.close();
  await removeFolders();
});

const search = (more: Partial<Parameters<typeof findToolchains>[0]> = {}) =>
  findToolchains({
    ...{ home, node: process.execPath, hidden: [], extra: [], env: {}, optional: [opt] },
    system: [...shownFolders, system],
    path: [system, join(opt, "jdk/bin"), join(opt, "stack/bin"), "/usr/bin", "/bin"],
    ...more,
  });

test("what is on the PATH, or linked from a system folder, is found, and nothing beside it", () => {
  const { places, hidden, path } = search();
  expect(places.sort()).toEqual(["jdk", "maker/browser", "stack"].map((name) => join(opt, name)));
  expect(hidden.filter((folder) => folder.startsWith(opt)).sort()).toEqual([
    join(opt, "stack/run"),
    join(opt, "stack/var"),
  ]);
  expect(path).toContain(join(opt, "stack/bin"));
});

test("JAVA_HOME and the like are shown without a program on the PATH", () => {
  const { places, env } = search({ path: ["/usr/bin"], env: { JAVA_HOME: join(opt, "sdk") } });
  expect([places, env.JAVA_HOME]).toEqual([[join(opt, "sdk")], join(opt, "sdk")]);
});

test.each(["/opt", "/snap", "/snap/bin", "/etc", "/var", "/home", "/run", "/root", "/"])(
  "%s on the PATH shows nothing of it",
  (folder) => {
    expect(search({ path: [folder, "/usr/bin"], optional: ["/opt", "/snap"] }).places).not.toContain(folder);
  },
);

test("a single program on the PATH does not show its whole folder", () => {
  expect(search({ path: [opt, "/usr/bin"] }).places).not.toContain(opt);
});

test("what a person names is shown unchanged", () => {
  const { places, hidden } = search({ path: ["/usr/bin"], extra: [join(opt, "stack")] });
  expect(places).toEqual([join(opt, "stack")]);
  expect(hidden.filter((folder) => folder.startsWith(opt))).toEqual([]);
});

describe.each([true, false])("in the jail, writable %s", (writable) => {
  let tools: Toolchains;
  let state: string;
  beforeAll(async () => {
    tools = search();
    state = await freshFolder("state");
  });
  const run = async (command: string) => {
    const root = await freshFolder("workspace");
    const jail = {
      ...{ bwrap: findProgram("bwrap") ?? "bwrap", tmpBytes: undefined, taskIds: undefined, tools, state },
      ...{
        hidesFirst: true,
        groups: undefined,
        memoryBytes: 2 ** 30,
        filters: await writeSeccompFiles(state, process.arch),
      },
    };
    const started = jailedProcess(jail, {
      ...{ root, mount: "/workspace", cwd: "/workspace", writable, foreign: true },
      command: ["/bin/sh", "-c", command],
    });
    return (await runProcess({ ...started, timeoutMs: 30_000, maxOutputBytes: 10_000 })).stdout;
  };

  test("programs run with the files that belong to them", async () => {
    expect(await run(`java; ${join(opt, "maker/browser/browser")}; db`)).toBe("here\nhere\ndb\n");
  });

  test("what is beside them is not there", async () => {
    expect(await run(`ls ${opt}; ls ${join(opt, "maker")}`)).toBe("jdk\nmaker\nstack\nbrowser\n");
  });

  const reach = (path: string) =>
    `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un("${path}")) && print <S>'`;
  test("sockets of what runs there are hidden", async () => {
    for (const path of ["stack/var/run/db.sock", "stack/run/db.sock"])
      expect(await run(`${reach(join(opt, path))}; ls -A ${dirname(join(opt, path))}`)).toBe("");
  });

  test("nothing can be written in their place", async () => {
    const files = ["stack/var/x", "stack/run/x"].map((path) => join(opt, path));
    expect(await run(`touch ${files.join(" ")} 2>/dev/null; ls ${files.join(" ")} 2>/dev/null`)).toBe("");
  });

  test.skipIf(writable)("and one elsewhere is out of reach for a read-only command", async () => {
    expect(await run(`test -S ${join(opt, "stack/lib/db.sock")} && echo there`)).toBe("there\n");
    expect(await run(reach(join(opt, "stack/lib/db.sock")))).toBe("");
  });
});

test.each(["/opt", "/snap", "/nix", "/nix/var", "/home", "/home/linuxbrew", "/home/linuxbrew/.linuxbrew"])(
  "%s is not a folder that every jail shows",
  (folder) => {
    expect(shownFolders).not.toContain(folder);
  },
);

test("the server's jail shows /opt, /snap, /nix and Homebrew only when needed", {
  tags: "long",
}, async () => {
  const server = await RunningServer.start();
  const { id } = await server.client.create();
  const command = "ls -d /snap /nix/var /home/linuxbrew/.linuxbrew/var/* /usr/local/var/* 2>/dev/null";
  expect((await server.client.value(ExecValue, id, "exec", { command })).stdout).toBe("");
  await server.stop();
});
