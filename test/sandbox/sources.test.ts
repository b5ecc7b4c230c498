// The origins of a workspace, what sandboxes share, and what is removed when one is deleted.
import { execFileSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GitValue } from "../../shared/git.ts";
import { ChangeValue, ExecValue, ReadValue } from "../../shared/sandbox.ts";
import { fileExists, freshFolder, RunningServer, removeFolders } from "./running-server.ts";
import { codeOf } from "./sandbox-client.ts";

afterAll(removeFolders);

function git(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
  return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" });
}

describe("a git URL", () => {
  let server: RunningServer;
  let origin: string;
  beforeAll(async () => {
    origin = await freshFolder("origin");
    git(origin, "init", "-q", "-b", "trunk");
    await writeFile(join(origin, "a.txt"), "one\n");
    git(origin, "add", ".");
    git(origin, "commit", "-qm", "one");
    git(origin, "checkout", "-qb", "side");
    await writeFile(join(origin, "a.txt"), "side\n");
    git(origin, "commit", "-qam", "side");
    git(origin, "checkout", "-q", "trunk");
    server = await RunningServer.start({ env: { HANDRAIL_FILE_SOURCES: "1" } });
  });
  afterAll(async () => {
    await server.stop();
  });

  test("is cloned shallow, at the requested branch", async () => {
    const [trunk, side] = [
      await server.client.create({ source: { git: `file://${origin}` } }),
      await server.client.create({ source: { git: `file://${origin}`, ref: "side" } }),
    ];
    expect([trunk.state, trunk.workspace]).toEqual(["ready", "origin"]);
    expect((await server.client.value(ReadValue, side.id, "read", { path: "a.txt" })).rows).toContain("side");
    expect((await server.client.value(GitValue, trunk.id, "git", { verb: "status" })).stdout).toContain(
      "## trunk",
    );
    expect(
      (await server.client.value(GitValue, side.id, "git", { verb: "log" })).stdout.trim().split("\n"),
    ).toHaveLength(1);
  });

  test("of this machine is refused unless the server was started to allow it", async () => {
    const strict = await RunningServer.start();
    const answer = await strict.client.post("/sandboxes", { source: { git: `file://${origin}` } });
    expect(answer.status).toBe(400);
    await strict.stop();
  });

  test("that leads nowhere is a clear error, and no sandbox is left", async () => {
    for (const source of [
      { git: `file://${origin}-missing` },
      { git: `file://${origin}`, ref: "missing" },
      { git: "ext::sh -c true" },
      { git: "--upload-pack=x" },
    ]) {
      const answer = await server.client.post("/sandboxes", { id: "failed", source });
      expect([answer.status, codeOf(answer), JSON.stringify(answer.body)]).toEqual([
        400,
        "invalid_request",
        expect.stringContaining("source.git"),
      ]);
      expect((await server.client.get("/sandboxes/failed")).status).toBe(404);
    }
  });
});

describe("a served folder", () => {
  let server: RunningServer;
  let workspace: string;
  beforeAll(async () => {
    workspace = await freshFolder("workspace");
    await mkdir(join(workspace, "beneath"));
    await writeFile(join(workspace, "beneath", "b.txt"), "b\n");
    await symlink(dirname(workspace), join(workspace, "up"));
    server = await RunningServer.start({ workspace });
  });
  afterAll(async () => {
    await server.stop();
  });

  test("is used by a sandbox without a source, at its own path", async () => {
    const { id, workspace: name } = await server.client.create();
    expect(name).toBe("workspace");
    expect((await server.client.value(ExecValue, id, "exec", { command: "pwd" })).stdout).toBe(
      `${workspace}\n`,
    );
  });

  test("may be narrowed to a folder below it, and to no other", async () => {
    const { id } = await server.client.create({ source: { path: "beneath" } });
    expect((await server.client.value(ReadValue, id, "read", { path: "b.txt" })).total).toBe(1);
    for (const path of ["..", "/etc", "up", "beneath/../..", "missing"]) {
      expect([path, (await server.client.post("/sandboxes", { source: { path } })).status]).toEqual([
        path,
        403,
      ]);
    }
  });

  test("shares its versions and its write lock between sandboxes", { tags: "long" }, async () => {
    const [one, two] = [await server.client.create(), await server.client.create()];
    await server.client.value(ChangeValue, one.id, "change", {
      files: [{ path: "shared.txt", content: "x\n", base: null }],
    });
    expect((await server.client.value(ReadValue, two.id, "read", { path: "shared.txt" })).version).toBe("v1");
    const increment = { command: "n=$(cat n 2>/dev/null || echo 0); sleep 0.02; echo $((n+1)) > n" };
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        server.client.call((index % 2 ? one : two).id, "exec", increment),
      ),
    );
    expect(await readFile(join(workspace, "n"), "utf8")).toBe("10\n");
  });

  test("keeps its files when a sandbox is deleted, and other sandboxes keep their snapshots", async () => {
    const [one, two] = [await server.client.create(), await server.client.create()];
    await server.client.fetch(`/sandboxes/${one.id}`, { method: "DELETE" });
    expect(fileExists(join(workspace, "beneath", "b.txt"))).toBe(true);
    expect((await server.client.call(two.id, "git", { verb: "diff", since: "start" })).ok).toBe(true);
    expect(await readdir(join(server.state, "sandboxes"))).not.toContain(one.id);
  });
});

test("cannot contain the state folder; that, a missing workspace and a short token are each one clear line", async () => {
  const workspace = await freshFolder("workspace");
  const inside = await RunningServer.start({ workspace, state: join(workspace, "state") }).catch(
    (error: Error) => error.message,
  );
  expect(inside).toMatch(/state folder .* lies inside the workspace/);
  const missing = await RunningServer.start({ workspace: join(workspace, "missing") }).catch(
    (error: Error) => error.message,
  );
  expect(missing).toMatch(/is not a folder/);
  const short = await RunningServer.start({ env: { SANDBOX_TOKEN: "short" } }).catch(
    (error: Error) => error.message,
  );
  expect(short).toMatch(/give at least 32/);
});

test("from the person's home runs node in the jail", { tags: "long" }, async () => {
  const home = await freshFolder("home");
  const prefix = join(home, ".nvm", "versions", "node", "v20");
  await mkdir(join(prefix, "bin"), { recursive: true });
  await mkdir(join(prefix, "lib", "node_modules"), { recursive: true });
  await cp(process.execPath, join(prefix, "bin", "node"));
  await writeFile(join(home, "private.txt"), "private\n");
  const server = await RunningServer.start({
    node: join(prefix, "bin", "node"),
    env: { HOME: home, PATH: "/usr/bin:/bin" },
  });
  const { id } = await server.client.create();
  const value = await server.client.value(ExecValue, id, "exec", {
    command: `which node && node -p 6*7 && ls ${home}/private.txt`,
  });
  expect(value.stdout).toBe(`${prefix}/bin/node\n42\n`);
  await server.stop();
});
