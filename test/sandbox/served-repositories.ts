// A server for one folder, in which each test of a file gets its own repository or clone.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type GitHost, startGitHost } from "./git-host.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

/** The state of the running test. A test that restarts the server assigns the new one to `server`. */
export interface ServedRepository {
  server: RunningServer;
  /** The folder that the server serves. */
  readonly served: string;
  /** HOME of `git`, with the person's name. */
  readonly home: string;
  /** The repository's name in `served`. */
  readonly path: string;
  /** The repository's folder. */
  readonly workspace: string;
  /** Runs git in the repository, outside the jail. Returns its output, trimmed. */
  git(...args: string[]): string;
  put(name: string, text: string | Buffer): Promise<void>;
}

interface Options {
  /** The server gets `home` as its HOME, as on the person's own machine. */
  own?: true;
}

/** Call it at the top of a test file: each test gets a repository with `files` as its first commit, on `main`. */
export function servedRepositories(
  files: Readonly<Record<string, string>>,
  options?: Options,
): ServedRepository {
  return servedFolders(options, async ({ git, put }) => {
    for (const [name, text] of Object.entries(files)) await put(name, text);
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-qm", "first");
  });
}

/**
 * Like `servedRepositories`, but each test gets a clone of the repository of one `host`, which requires a
 * password.
 */
export function servedClones(): ServedRepository & { readonly host: GitHost } {
  let host: GitHost;
  beforeAll(async () => {
    host = await startGitHost(0);
  });
  afterAll(() => host.close());
  const folders = servedFolders({ own: true }, async ({ git }) => {
    git("clone", "-q", host.root, ".");
    git("remote", "set-url", "origin", host.url);
  });
  return Object.defineProperty(folders, "host", { get: () => host }) as ServedRepository & { host: GitHost };
}

function servedFolders(
  { own }: Options = {},
  fill: (folder: ServedRepository) => Promise<void>,
): ServedRepository {
  let server: RunningServer;
  let served: string;
  let home: string;
  let count = 0;
  const path = () => `folder-${count}`;
  const workspace = () => join(served, path());
  const folder: ServedRepository = {
    get server() {
      return server;
    },
    set server(next) {
      server = next;
    },
    get served() {
      return served;
    },
    get home() {
      return home;
    },
    get path() {
      return path();
    },
    get workspace() {
      return workspace();
    },
    git: (...args) => hostGit(home, workspace(), ...args).trim(),
    put: (name, text) => writeFile(join(workspace(), name), text),
  };
  beforeAll(async () => {
    served = await freshFolder("workspace");
    home = newHome(await freshFolder("home"));
    server = await RunningServer.start({ workspace: served, ...(own && { env: { HOME: home } }) });
  });
  afterAll(async () => {
    await server.stop();
    await removeFolders();
  });
  beforeEach(async () => {
    count += 1;
    await mkdir(workspace());
    await fill(folder);
  });
  return folder;
}
