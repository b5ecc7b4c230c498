// Nothing outside the workspace is read or written, whatever a path looks like or leads to.
import { execFileSync } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as limits from "../../sandbox/limits.ts";
import { ChangeValue, type OpName, ReadValue, SearchValue } from "../../shared/sandbox.ts";
import { fileExists, freshFolder, RunningServer, removeFolders } from "./running-server.ts";
import { codeOf, type SandboxClient } from "./sandbox-client.ts";

let server: RunningServer;
let client: SandboxClient;
let workspace: string;
let outside: string;
let id: string;

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  outside = join(dirname(workspace), "outside");
  await mkdir(outside);
  await writeFile(join(outside, "secret.txt"), "secret\n");
  await mkdir(join(workspace, "in"));
  await writeFile(join(workspace, "in", "file.txt"), "inside\n");
  await symlink(outside, join(workspace, "out"));
  await symlink(join(outside, "secret.txt"), join(workspace, "leak.txt"));
  await symlink("in/file.txt", join(workspace, "good-link.txt"));
  await symlink("in", join(workspace, "good-folder"));
  await symlink("nowhere", join(workspace, "dangling"));
  await symlink("loop", join(workspace, "loop"));
  server = await RunningServer.start({ workspace });
  client = server.client;
  id = (await client.create()).id;
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const leaving = [
  "../outside/secret.txt",
  "in/../../outside/secret.txt",
  "/etc/passwd",
  "out/secret.txt",
  "leak.txt",
  "in/\0",
  "..",
  "C:\\x",
];

describe("paths that leave the workspace", () => {
  test.each(leaving)("are refused by every op and route: %j", async (path) => {
    const calls: [OpName, Record<string, unknown>][] = [
      ["read", { path }],
      ["change", { files: [{ path, content: "x", base: null }] }],
      ["change", { files: [{ path, edits: [{ op: "append", lines: ["x"] }] }] }],
      ["change", { files: [{ path: "in/file.txt", moveTo: path, base: "v1" }] }],
      ["git", { verb: "diff", paths: [path] }],
    ];
    for (const [op, args] of calls) {
      const result = await client.call(id, op, args);
      // Git may get `leak.txt` and `out`, also as new files: they are links of the workspace itself.
      if (result.ok && op === "git" && !path.includes("..")) continue;
      expect([
        op,
        result.ok,
        ["path_escape", "stale_file", "invalid_request"].includes(result.error?.code ?? ""),
      ]).toEqual([op, false, true]);
    }
    const file = await client.get(`/sandboxes/${id}/file?path=${encodeURIComponent(path)}`);
    expect([file.status, codeOf(file)]).toEqual([403, "path_escape"]);
    expect(await readFile(join(outside, "secret.txt"), "utf8")).toBe("secret\n");
  });

  test.each(["out", "..", "/", "in/../..", "in/\0", "good-folder/../.."])(
    "are refused as a folder to list, to work in or to serve: %j",
    async (path) => {
      expect((await client.failure(id, "list", { path })).code).toBe("path_escape");
      expect((await client.failure(id, "exec", { command: "ls", cwd: path })).code).toBe("path_escape");
      if (path !== "/") {
        const restore = { snapshot: "start", path, seen: "0000000" };
        expect((await client.failure(id, "restore", restore)).code).toMatch(/path_escape|stale_file/);
      }
      expect((await client.post("/sandboxes", { source: { path } })).status).toBe(403);
    },
  );

  test("a read-only request does not create a missing folder", async () => {
    expect((await client.failure(id, "list", { path: "nowhere/at/all" })).code).toBe("not_found");
    expect((await client.failure(id, "exec", { command: "ls", cwd: "nowhere/at/all" })).code).toBe(
      "not_found",
    );
    expect(fileExists(join(workspace, "nowhere"))).toBe(false);
  });

  test("no message contains a path of the host", async () => {
    for (const path of leaving)
      expect(JSON.stringify(await client.failure(id, "read", { path }))).not.toContain(workspace);
  });

  test("search and list do not follow links out of the workspace", async () => {
    expect((await client.value(SearchValue, id, "search", { pattern: "secret" })).matches).toEqual([]);
    expect(
      (await client.value(SearchValue, id, "search", { pattern: "secret", glob: "out/**" })).matches,
    ).toEqual([]);
  });

  test("a parent that is swapped for a link again and again never lets a read or a write out", {
    tags: "long",
  }, async () => {
    await mkdir(join(workspace, "real"));
    await writeFile(join(workspace, "real", "secret.txt"), "inside\n");
    let swapping = true;
    const pointTo = async (target: string) => {
      await symlink(target, join(workspace, "next"));
      await rename(join(workspace, "next"), join(workspace, "swap"));
    };
    await pointTo("real");
    const swapper = (async () => {
      for (let turn = 0; swapping; turn++) await pointTo(turn % 2 === 0 ? outside : "real");
    })();
    for (let round = 0; round < 60; round++) {
      const [read, write] = await Promise.all([
        client.call(id, "read", { path: "swap/secret.txt" }),
        client.call(id, "change", {
          files: [{ path: `swap/new-${round}.txt`, content: "new\n", base: null }],
        }),
      ]);
      expect(JSON.stringify(read)).not.toContain("|secret");
      if (!write.ok) expect(["path_escape", "not_found", "internal"]).toContain(write.error?.code);
    }
    swapping = false;
    await swapper;
    expect(execFileSync("ls", [outside], { encoding: "utf8" })).toBe("secret.txt\n");
  });
});

describe("something other than a text file", () => {
  test("a FIFO, a socket and a device are refused at once, not waited for", async () => {
    execFileSync("mkfifo", [join(workspace, "fifo")]);
    const socket = createServer().listen(join(workspace, "socket"));
    await symlink("/dev/zero", join(workspace, "zero"));
    for (const path of ["fifo", "socket", "zero"]) {
      expect([path, (await client.failure(id, "read", { path })).code]).toEqual([path, "path_escape"]);
      expect((await client.get(`/sandboxes/${id}/file?path=${path}`)).status).toBe(403);
    }
    await new Promise((resolve) => socket.close(resolve));
  });

  test("binary files and broken UTF-8 are not text, and are left unchanged", async () => {
    await writeFile(join(workspace, "nul.bin"), Buffer.from([65, 0, 66]));
    await writeFile(join(workspace, "latin1.txt"), Buffer.from([0x67, 0xfc, 0x6e]));
    for (const path of ["nul.bin", "latin1.txt"]) {
      expect((await client.failure(id, "read", { path })).code).toBe("not_text");
      expect(
        (await client.failure(id, "change", { files: [{ path, edits: [{ op: "append", lines: ["x"] }] }] }))
          .code,
      ).toBe("not_text");
    }
    expect(await readFile(join(workspace, "latin1.txt"))).toEqual(Buffer.from([0x67, 0xfc, 0x6e]));
  });

  test("a file of 200 MB is too large, with what to do instead", async () => {
    execFileSync("truncate", ["-s", "200M", join(workspace, "big.log")]);
    const error = await client.failure(id, "read", { path: "big.log" });
    expect(error).toMatchObject({ code: "too_large", message: expect.stringContaining("Search in it") });
    const part = await client.fetch(`/sandboxes/${id}/file?path=big.log`, {
      headers: { range: "bytes=209715198-" },
    });
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 2]);
  });

  test("a folder is reported as a folder", async () => {
    expect(await client.failure(id, "read", { path: "in" })).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("folder"),
    });
  });

  test("invalid file names are refused", async () => {
    for (const path of ["a".repeat(300), "a/".repeat(3000), "\ud800", "loop"]) {
      expect(["invalid_request", "path_escape"]).toContain((await client.failure(id, "read", { path })).code);
    }
  });
});

describe("what an edit keeps", () => {
  test("a link inside the workspace stays a link; its target is what changes", async () => {
    await client.value(ChangeValue, id, "change", {
      files: [{ path: "good-link.txt", edits: [{ op: "append", lines: ["more"] }] }],
    });
    expect(await readlink(join(workspace, "good-link.txt"))).toBe("in/file.txt");
    expect(await readFile(join(workspace, "in", "file.txt"), "utf8")).toBe("inside\nmore\n");
    expect((await client.value(ReadValue, id, "read", { path: "good-folder/file.txt" })).total).toBe(2);
  });

  test("a new file is not written through a dangling link", async () => {
    const error = await client.failure(id, "change", {
      files: [{ path: "dangling", content: "x", base: null }],
    });
    expect(error.code).toBe("stale_file");
    expect((await lstat(join(workspace, "dangling"))).isSymbolicLink()).toBe(true);
    expect(fileExists(join(workspace, "nowhere"))).toBe(false);
  });

  test("mode, BOM, CRLF and a missing final newline", async () => {
    const path = join(workspace, "keep.sh");
    await writeFile(path, "\ufeffone\r\ntwo\r\nthree");
    await chmod(path, 0o754);
    await client.value(ChangeValue, id, "change", {
      files: [{ path: "keep.sh", edits: [{ op: "replace_text", old: "two", new: "2" }] }],
    });
    expect(await readFile(path, "utf8")).toBe("\ufeffone\r\n2\r\nthree");
    expect((await stat(path)).mode & 0o7777).toBe(0o754);
  });

  test("another hard link to the file keeps its content", async () => {
    await writeFile(join(outside, "hard.txt"), "outside\n");
    execFileSync("ln", [join(outside, "hard.txt"), join(workspace, "hard.txt")]);
    await client.value(ChangeValue, id, "change", {
      files: [{ path: "hard.txt", edits: [{ op: "append", lines: ["x"] }] }],
    });
    expect(await readFile(join(outside, "hard.txt"), "utf8")).toBe("outside\n");
    await rm(join(outside, "hard.txt"));
  });

  test("git's own folder is not changed by hand", async () => {
    for (const path of [".git/hooks/pre-commit", "sub/.GIT/config", "git~1/config", ".git./a"]) {
      expect((await client.failure(id, "change", { files: [{ path, content: "x", base: null }] })).code).toBe(
        "forbidden",
      );
    }
  });
});

test("a change does not write into git's folder through a link", async () => {
  await mkdir(join(workspace, ".git", "inner"), { recursive: true });
  await writeFile(join(workspace, ".git", "inner", "note"), "git's\n");
  await symlink(".git/inner", join(workspace, "to-git"));
  await symlink(".git/inner/note", join(workspace, "to-note"));
  const made = { path: "to-git/new.txt", content: "x\n", base: null };
  const { version: base } = await client.value(ReadValue, id, "read", { path: "to-note" });
  for (const file of [
    made,
    { path: "to-note", content: "x\n", base },
    { path: "to-git/note", delete: true, base },
  ]) {
    const { error } = await client.call(id, "change", { files: [file] });
    expect([file.path, error?.code]).toEqual([file.path, "forbidden"]);
  }
  expect(await readFile(join(workspace, ".git", "inner", "note"), "utf8")).toBe("git's\n");
});

test("a text above a file's size limit is not written", async () => {
  const content = "x".repeat(limits.fileBytes + 1);
  const { error } = await client.call(id, "change", { files: [{ path: "large.txt", content, base: null }] });
  expect(error).toMatchObject({ code: "too_large", message: expect.stringContaining("large.txt is above") });
});

test("a search looks neither into git's folder nor through a link, even where its glob names them", async () => {
  await mkdir(join(workspace, ".git", "searched"), { recursive: true });
  for (const path of [".git/searched/note", "in/note"]) await writeFile(join(workspace, path), "needle\n");
  const found = async (args: object) =>
    (await client.value(SearchValue, id, "search", { pattern: "needle", ...args })).matches.map(
      ({ path }) => path,
    );
  expect(await found({})).toEqual(["in/note"]);
  expect(await found({ glob: "in/*" })).toEqual(["in/note"]);
  expect(await found({ glob: ".git/**" })).toEqual([]);
  expect(await found({ glob: "good-folder/*" })).toEqual([]);
});

test.each(["--files", "--pre=x", "-"])("the pattern %s is not an option of ripgrep", async (pattern) => {
  await writeFile(join(workspace, "in", "flag"), "--files\n--pre=x\n");
  const { matches } = await client.value(SearchValue, id, "search", { pattern, glob: "flag" });
  expect(matches).toMatchObject([{ path: "in/flag" }]);
});

test("a link is not deleted or moved in place of its target", async () => {
  const { version: base } = await client.value(ReadValue, id, "read", { path: "good-link.txt" });
  for (const how of [{ delete: true }, { moveTo: "moved.txt" }]) {
    const { error } = await client.call(id, "change", { files: [{ path: "good-link.txt", base, ...how }] });
    expect(error).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("It is a link"),
    });
  }
  expect(await readFile(join(workspace, "in/file.txt"), "utf8")).toMatch(/^inside\n/);
});
