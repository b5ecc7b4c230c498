// A host of git repositories over HTTP, with basic authentication, which can be slowed down. Used by the
// tests of cloning and pushing.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { answerOfGit } from "../fakes/forge/git-backend.ts";
import { freshFolder } from "./running-server.ts";

export interface GitHost {
  /** `http://127.0.0.1:PORT/origin`, without credentials. */
  url: string;
  /** The repository's folder. */
  root: string;
  /** Called for each accepted request before it is answered. */
  before?: (() => void) | undefined;
  /** Authorization headers received, one per request. */
  seen: (string | undefined)[];
  /** While true, the host supports only the first version of git's protocol, as some hosts do. */
  old: boolean;
  /** While true, packs are sent halfway and then stall. */
  holding: boolean;
  close(): Promise<void>;
}

export const hostUser = "robot";
export const hostPassword = "p@ss/word:1";

/** Serves a repository of `bytes` incompressible bytes. */
export async function startGitHost(bytes: number): Promise<GitHost> {
  const root = await freshFolder("git-host");
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", join(root, "origin"), "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  execFileSync("git", ["init", "-q", "-b", "trunk", join(root, "origin")]);
  const part = 64 * 1024;
  for (let index = 0; index * part < bytes; index++)
    await writeFile(join(root, "origin", `${index}.bin`), crypto.getRandomValues(new Uint8Array(part)));
  await writeFile(join(root, "origin", "a.txt"), "one\n");
  git("add", ".");
  git("commit", "-qm", "one");
  const server = createServer((request, response) => void serve(root, host, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host: GitHost = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/origin`,
    root: join(root, "origin"),
    seen: [],
    ...{ holding: false, old: false },
    close: () => closed(server),
  };
  return host;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function serve(
  root: string,
  host: GitHost,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { authorization } = request.headers;
  host.seen.push(authorization);
  const expected = `Basic ${Buffer.from(`${hostUser}:${hostPassword}`).toString("base64")}`;
  if (authorization !== expected) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    return;
  }
  host.before?.();
  if (host.old) delete request.headers["git-protocol"];
  const body = await answerOfGit(request, response, root, hostUser);
  if (!host.holding || body.length < 100_000) return void response.end(body);
  response.write(body.subarray(0, body.length / 2));
}
