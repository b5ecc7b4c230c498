// A folder that a command makes look like git's own hides nothing: settings of editors, sockets of the host
// and repositories inside it are protected and swept as elsewhere, and nothing that was not touched is taken
// out.
// @module-tag long
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

/** Makes git treat the folder `$1` as a repository. */
const looksLikeGit = (folder: string) =>
  `mkdir -p ${folder}/objects ${folder}/refs; echo 'ref: refs/heads/x' > ${folder}/HEAD`;

let server: RunningServer;
let base: string;
let home: string;
let root: string;
let id: string;
let sockets: Server | undefined;
beforeAll(async () => {
  base = await freshFolder("served");
  home = newHome(dirname(base));
  server = await RunningServer.start({ workspace: base });
});
beforeEach(async () => {
  root = mkdtempSync(join(base, "w-"));
  hostGit(home, root, "init", "-q");
  id = (await server.client.create({ source: { path: root.slice(base.length + 1) } })).id;
});
afterEach(() => sockets?.close());
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const run = (command: string, access: "readonly" | "write" = "write") =>
  server.client.value(ExecValue, id, "exec", { command }, access);
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const text = (path: string) => readFileSync(join(root, path), "utf8");
const gone = (...paths: string[]) => expect(paths.filter((path) => existsSync(join(root, path)))).toEqual([]);

describe("editor settings in a folder that looks like git's", () => {
  test("are taken out when a command created them", async () => {
    await run(
      `${looksLikeGit("pk")}; mkdir pk/.vscode pk/sub; echo x > pk/.vscode/tasks.json; echo x > pk/sub/.envrc`,
    );
    gone("pk/.vscode", "pk/sub/.envrc");
    await run(looksLikeGit("."));
    await run("mkdir -p deep; echo x > deep/.envrc");
    gone("deep/.envrc");
  });

  test("are protected when they are the person's, and stay once the folder no longer looks like git's", async () => {
    for (const path of [".vscode/tasks.json", "sub/.claude/settings.json", "sub/.envrc"]) put(path, "mine\n");
    await run(`${looksLikeGit(".")}; ${looksLikeGit("sub")}`);
    const { exitCode } = await run("echo x > sub/.envrc || echo x > .vscode/tasks.json");
    expect(exitCode).not.toBe(0);
    await run("rm HEAD sub/HEAD");
    for (const path of [".vscode/tasks.json", "sub/.claude/settings.json", "sub/.envrc"])
      expect([path, text(path)]).toEqual([path, "mine\n"]);
  });

  test("links in folders that are not git's stay", async () => {
    await run(`${looksLikeGit("pk")}; mkdir pk/src; ln -s ../a pk/src/l; ln -s /x pk/objects/l`);
    expect(lstatSync(join(root, "pk/src/l")).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(root, "pk/objects/l"), { throwIfNoEntry: false })).toBeUndefined();
  });

  test("a branch and a submodule's folder with such names stay", async () => {
    put("a.txt", "a\n");
    hostGit(home, root, "add", "-A");
    hostGit(home, root, "commit", "-qm", "a");
    const { stderr } = await run("git branch mise.toml && mkdir -p .git/modules/.vim");
    expect(stderr).toBe("");
    expect(hostGit(home, root, "branch", "--list", "mise.toml")).toContain("mise.toml");
  });
});

describe("editor settings in packages, with a link to them", () => {
  test("a link that a command creates is removed, the packages' own settings stay", async () => {
    put("node_modules/p/.idea/x", "theirs\n");
    put("pk/a.txt", "a\n");
    await run("mv pk node_modules/pk; ln -s node_modules/pk pk; echo x > pk/.envrc; ln -s node_modules all");
    gone("pk", "all");
    expect(text("node_modules/p/.idea/x")).toBe("theirs\n");
  });

  test("through an existing link, new settings are removed and existing ones are protected", async () => {
    put("node_modules/pk/.vscode/tasks.json", "mine\n");
    symlinkSync("node_modules/pk", join(root, "pk"));
    const held = await run("echo x > pk/.vscode/tasks.json");
    expect(held.exitCode).not.toBe(0);
    await run(
      "echo x > node_modules/pk/.envrc; mkdir node_modules/q; ln -s ../q node_modules/pk/q; echo x > node_modules/q/.envrc",
    );
    gone("pk/.envrc", "pk/q/.envrc");
    expect(text("pk/.vscode/tasks.json")).toBe("mine\n");
    const change = { files: [{ path: "node_modules/pk/.envrc", content: "x", base: null }] };
    expect((await server.client.failure(id, "change", change)).code).toBe("forbidden");
  });
});

describe.each(["HEAD, objects and refs that a command makes", "ones of the person's"])("with %s", (whose) => {
  test("sockets of the host and repositories below are protected", async () => {
    for (const name of ["vendor/x", "objects/y"]) {
      mkdirSync(join(root, name), { recursive: true });
      hostGit(home, join(root, name), "init", "-q");
      hostGit(home, join(root, name), "remote", "add", "origin", "https://good.example/x");
    }
    mkdirSync(join(root, "logs"));
    const one = createServer().listen(join(root, "logs/s.sock"));
    sockets = one;
    if (whose.startsWith("ones")) {
      put("HEAD", "x\n");
      put("refs/x", "");
    } else await run(looksLikeGit("."));
    const connect = `node -e "require('net').connect('logs/s.sock').on('connect',()=>console.log('reached')).on('error',()=>console.log('cut off'))"`;
    expect((await run(connect)).stdout).toBe("cut off\n");
    for (const name of ["vendor/x", "objects/y"]) {
      const set = await run(`git -C ${name} config remote.origin.url https://evil.example/x`);
      expect(set.exitCode).not.toBe(0);
      expect(hostGit(home, join(root, name), "remote", "get-url", "origin")).toBe("https://good.example/x\n");
    }
  });
});
