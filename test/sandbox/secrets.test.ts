// Secrets in files and output are neither sent nor stored, however a model comes across them.
import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GitValue } from "../../shared/git.ts";
import { ChangeValue, ExecValue, ReadValue, SearchValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders, token } from "./running-server.ts";

/** Joined here, so that no secret scanner reports this file. */
const letters = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7";
const key = ["ghp", `${letters}${letters.slice(0, 9)}`].join("_");
const keyLines = ["x", "y", "z", "w"].map((first) => `${first}${letters}${letters}${letters}`.slice(0, 64));
const pem = ["-----BEGIN PRIVATE KEY-----", ...keyLines, "-----END PRIVATE KEY-----"];
const end = "-----END PRIVATE KEY-----";
const marked = "[redacted: GitHub token]";
const markedKey = "[redacted: private key]";

let server: RunningServer;
let workspace: string;
let id: string;

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  await writeFile(join(workspace, ".env"), `NAME=gateway\nTOKEN=${key}\nPORT=1\n`);
  await writeFile(join(workspace, "key.pem"), `${pem.join("\n")}\nafter\n`);
  await writeFile(join(workspace, "own.txt"), `ours: ${token}\n`);
  execFileSync("git", ["init", "-q"], { cwd: workspace });
  server = await RunningServer.start({ workspace });
  id = (await server.client.create()).id;
});
afterAll(async () => {
  const stored: string[] = [];
  const sandboxes = join(server.state, "sandboxes");
  for (const entry of await readdir(sandboxes, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) stored.push(await readFile(join(entry.parentPath, entry.name), "utf8"));
  await server.stop();
  await removeFolders();
  // Everything that the tests above recorded. None of their arguments contains `key`.
  for (const secret of [key, ...keyLines, token]) expect(stored.join("")).not.toContain(secret);
  expect(stored.join("")).toContain(marked);
});

const exec = (command: string, more: Record<string, unknown> = {}) =>
  server.client.value(ExecValue, id, "exec", { command, ...more });

describe("commands", () => {
  test("that print a settings file show a mark, and the server's own token is one of the secrets", async () => {
    expect((await exec("cat .env; cat .env own.txt >&2")).stdout).toBe(
      `NAME=gateway\nTOKEN=${marked}\nPORT=1\n`,
    );
    expect((await exec("tail -n 3 key.pem")).stdout).toBe(`${markedKey}\n-----END PRIVATE KEY-----\nafter\n`);
    expect((await exec("cat own.txt >&2")).stderr).toBe("ours: [redacted: secret]\n");
  });

  test("that print a secret in two pieces show it in neither, live or in the result", async () => {
    const middle =
      // biome-ignore lint/suspicious/noTemplateCurlyInString: shell variables.
      ". ./.env; printf 'a %s' \"${TOKEN%????????????????????}\"; sleep 0.2; printf '%s b\\n' \"${TOKEN#????????????????????}\"";
    const lines = await server.client.lines(id, {
      access: "write",
      calls: [{ key: "pieces", op: "exec", args: { command: middle } }],
    });
    const output = lines.flatMap((line) => (line.type === "output" ? [line] : []));
    expect(output.map(({ text }) => text).join("")).toBe(`a ${marked} b\n`);
    for (const [index, { offset }] of output.entries())
      expect(offset).toBe(
        Buffer.byteLength(
          output
            .slice(0, index)
            .map(({ text }) => text)
            .join(""),
        ),
      );
    expect(lines.find(({ type }) => type === "result")).toMatchObject({
      value: { stdout: `a ${marked} b\n` },
    });
  });

  test("whose output is cut in the middle show no part of a secret at the cut", async () => {
    for (const before of [380, 400, 420, 440]) {
      const { stdout } = await exec(
        `. ./.env; printf '%${before}s %s %${940 - before}s' '' "$TOKEN" ''; printf '%400s' ''`,
        { maxOutputBytes: 800 },
      );
      expect(stdout).toContain("bytes cut");
      expect(stdout.replaceAll(marked, "")).not.toMatch(/ghp_|aB3|Z7aB/);
    }
  });
});

describe("files", () => {
  test("show a mark when they are read, and another line of the same file can be edited", async () => {
    const read = await server.client.value(ReadValue, id, "read", { path: ".env" });
    expect(read.rows).toMatch(/^1[a-z]{3}\|NAME=gateway\n2[a-z]{3}\|TOKEN=\[redacted: GitHub token\]\n/);
    const anchors = read.rows.split("\n").map((row) => row.slice(0, row.indexOf("|")));
    const edit = { op: "replace", at: anchors[2], lines: ["PORT=2"] };
    const value = await server.client.value(ChangeValue, id, "change", {
      files: [{ path: ".env", base: read.version, edits: [edit] }],
    });
    expect(JSON.stringify(value)).not.toContain(letters);
    expect(value.files[0]?.diff).toContain(` TOKEN=${marked}\n-PORT=1\n+PORT=2`);
    expect(await readFile(join(workspace, ".env"), "utf8")).toBe(`NAME=gateway\nTOKEN=${key}\nPORT=2\n`);
    // The hidden line keeps the anchor of the true line, and an edit that contains the mark does not
    // overwrite it.
    const refused = await server.client.failure(id, "change", {
      files: [{ path: ".env", edits: [{ op: "replace", at: anchors[1], lines: [`TOKEN=${marked}`] }] }],
    });
    expect(refused.details).toMatchObject({ reason: "redacted" });
    expect(JSON.stringify(refused)).not.toContain(letters);
    const stale = await server.client.failure(id, "change", {
      files: [{ path: ".env", edits: [{ op: "delete", at: "2zzz" }] }],
    });
    expect(stale.message).toContain(`2${anchors[1]?.slice(1)}|TOKEN=${marked}`);
    expect(JSON.stringify(stale)).not.toContain(letters);
  });

  test("with a private key show none of its lines, read from the middle either", async () => {
    const read = await server.client.value(ReadValue, id, "read", { path: "key.pem", start: 3, end: 4 });
    expect(read.rows).toMatch(/^3[a-z]{3}\|\[redacted: private key\]\n4[a-z]{3}\|\[redacted: private key\]$/);
    const all = await server.client.value(ReadValue, id, "read", { path: "key.pem" });
    expect(all.rows.split("\n")[6]).toMatch(/^7[a-z]{3}\|after$/);
    const edit = { op: "insert_after", at: all.rows.split("\n")[6]?.slice(0, 4), lines: ["more"] };
    const value = await server.client.value(ChangeValue, id, "change", {
      files: [{ path: "key.pem", edits: [edit] }],
    });
    expect(value.files[0]?.diff).toContain(` ${markedKey}\n ${end}\n after\n+more\n`);
    for (const line of keyLines) expect(JSON.stringify(value)).not.toContain(line);
  });

  test("can be found by a secret in them, and the rows do not show it", async () => {
    const { matches } = await server.client.value(SearchValue, id, "search", {
      pattern: "TOKEN=",
      glob: ".env",
    });
    expect(matches[0]?.rows).toMatch(/^2[a-z]{3}\|TOKEN=\[redacted: GitHub token\]$/);
    const found = await server.client.value(SearchValue, id, "search", { pattern: keyLines[1]?.slice(0, 6) });
    expect(found.matches.map(({ rows }) => rows.slice(5))).toEqual([markedKey]);
  });

  test("that are deleted or rewritten do not show it in the diff", async () => {
    await exec("cp key.pem copy.pem; cp .env copy.env");
    const { version } = await server.client.value(ReadValue, id, "read", { path: "copy.pem" });
    const value = await server.client.value(ChangeValue, id, "change", {
      files: [{ path: "copy.pem", delete: true, base: version }],
    });
    expect(value.files[0]?.diff).toContain(`-${markedKey}\n-${markedKey}\n-${end}\n-after`);
    const env = await server.client.value(ReadValue, id, "read", { path: "copy.env" });
    const anew = await server.client.value(ChangeValue, id, "change", {
      files: [{ path: "copy.env", content: "NAME=x\n", base: env.version }],
    });
    expect(anew.files[0]?.diff).toContain(`-TOKEN=${marked}\n`);
  });

  test("are complete for the person, who asks for bytes", async () => {
    const bytes = await server.client.fetch(`/sandboxes/${id}/file?path=.env`);
    expect(await bytes.text()).toContain(key);
  });
});

test("are shown by git without secrets, and each diff line keeps its sign", async () => {
  const since = await server.client.value(GitValue, id, "git", { verb: "diff", since: "start" });
  expect(since.stdout).toContain(` ${markedKey}\n ${end}\n after\n+more\n`);
  expect(since.stdout).toContain(` TOKEN=${marked}\n-PORT=1\n+PORT=2`);
  await server.client.value(GitValue, id, "git", { verb: "add", paths: ["key.pem", ".env"] });
  await server.client.value(GitValue, id, "git", { verb: "commit", message: "all" });
  const show = await server.client.value(GitValue, id, "git", { verb: "show" });
  expect(show.stdout).toContain(`+${markedKey}\n+${markedKey}\n`);
  expect(show.stdout).toContain(`+TOKEN=${marked}\n`);
  for (const line of keyLines) expect(show.stdout + since.stdout).not.toContain(line);
});
