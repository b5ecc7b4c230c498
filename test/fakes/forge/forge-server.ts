// A forge behind a real socket: git's own smart HTTP over a real repository, and the APIs of GitHub, GitLab
// and Gitea over one state, in their documented forms.
import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serveGit } from "./git-backend.ts";
import { giteaAnswer } from "./gitea.ts";
import { githubAnswer } from "./github.ts";
import { gitlabAnswer } from "./gitlab.ts";
import { forgeToken, logOf, type PlayedAnswer, PlayedForge, type PlayedRequest } from "./played-forge.ts";

export interface RunningForge {
  forge: PlayedForge;
  origin: string;
  /** The address of the repository, without credentials. */
  cloneUrl: string;
  close(): Promise<void>;
}

export async function startPlayedForge(): Promise<RunningForge> {
  const forge = new PlayedForge();
  const server = createServer((request, response) => {
    void serve(forge, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  forge.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    forge,
    origin: forge.origin,
    cloneUrl: `${forge.origin}/${forge.repository}.git`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(forge.root, { recursive: true, force: true });
    },
  };
}

async function serve(forge: PlayedForge, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", forge.origin);
  if (url.pathname.startsWith(`/${forge.repository}.git/`))
    return serveGit(forge, forgeToken, request, response);
  if (url.pathname.startsWith("/logs/")) return answer(response, logOf(forge, url.pathname));
  const asked: PlayedRequest = {
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: await bodyOf(request),
  };
  forge.requests.push(asked);
  const instead = forge.quirks.before?.(asked);
  if (instead === "cut") return void response.destroy();
  if (instead && instead !== "lost") return answer(response, instead);
  const usual = apiAnswer(forge, asked);
  if (instead === "lost") return void response.destroy();
  answer(response, usual);
}

function apiAnswer(forge: PlayedForge, asked: PlayedRequest): PlayedAnswer {
  if (asked.path.startsWith("/api/v4/")) return gitlabAnswer(forge, asked);
  return asked.path.startsWith("/api/v1/") ? giteaAnswer(forge, asked) : githubAnswer(forge, asked);
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = Buffer.concat(await request.toArray()).toString();
  return text === "" ? {} : JSON.parse(text);
}

function answer(response: ServerResponse, { status, headers = {}, body, long }: PlayedAnswer): void {
  const isText = typeof body === "string";
  response.writeHead(status, {
    "content-type": isText || long ? "text/plain" : "application/json",
    ...headers,
  });
  if (!long) return void response.end(body === undefined ? "" : isText ? body : JSON.stringify(body));
  const part = Buffer.from("a line of a long log that says nothing at all\n".repeat(1_000));
  let left = long.bytes;
  const more = () => {
    while (left > 0) {
      left -= part.length;
      if (response.write(part)) continue;
      response.once("drain", more);
      return;
    }
    if (long.isCut) response.destroy();
    else response.end(long.end);
  };
  more();
}
