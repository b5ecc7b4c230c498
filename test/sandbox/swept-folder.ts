// A folder for each test that is scanned before and after a change, as around a command, without a jail.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeEach } from "vitest";
import { hold } from "../../sandbox/jail/protected-mounts.ts";
import { sweepOf } from "../../sandbox/jail/protected-sweep.ts";
import { WorkspaceScanner } from "../../sandbox/workspace/scan.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

/** Where a command would see the folder. */
export const mount = "/workspace";

interface Swept {
  editors?: boolean;
  named?: readonly { path: string; maybe: boolean }[];
  repositories?: readonly string[];
}

/** Write files and bare repositories into a folder that each test makes anew; `text` is what a file gets by default. */
export function writers(root: () => string, text = "x\n") {
  const at = (path: string) => join(root(), path);
  const put = (path: string, content = text) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  };
  const repository = (path: string) => {
    for (const folder of ["objects", "refs", "hooks", "info"])
      mkdirSync(at(join(path, folder)), { recursive: true });
    put(join(path, "HEAD"), "ref: refs/heads/main\n");
    put(join(path, "config"), "[core]\n");
  };
  return { at, put, repository };
}

/** Call it at the top of a file. Each test begins with a folder that has only a repository. */
export function sweptFolder() {
  let root: string;
  const { at, put, repository } = writers(() => root);

  afterAll(removeFolders);
  beforeEach(async () => {
    root = await freshFolder("workspace");
    repository(".git");
  });

  async function swept(change: () => void, { editors = false, named = [], repositories = [] }: Swept = {}) {
    const before = await new WorkspaceScanner(root).scan();
    const { baseline } = hold(before, { root, mount, editors, named, ours: () => false });
    change();
    const found = await new WorkspaceScanner(root).scan();
    const sweep = sweepOf(found, baseline, { root, mount, editors, repositories });
    return {
      ...sweep,
      out: sweep.out.map(({ path }) => path).sort(),
      yours: sweep.out.filter(({ yours }) => yours).map(({ path }) => path),
    };
  }
  const outOf = async (change: () => void, options?: Swept) => (await swept(change, options)).out;
  return { at, put, repository, swept, outOf };
}
