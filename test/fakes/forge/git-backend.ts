// Git's own smart HTTP (`git http-backend`) over the repositories of a folder, with basic authentication.
import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Any user name with `token` as the password may read and write. */
export async function serveGit(
  { root, gitAsked }: { root: string; gitAsked?: (() => void) | undefined },
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, login = ""] = /^Basic (.+)$/.exec(request.headers.authorization ?? "") ?? [];
  const password = Buffer.from(login, "base64")
    .toString()
    .replace(/^[^:]*:/, "");
  if (password !== token)
    return void response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  gitAsked?.();
  response.end(await answerOfGit(request, response, root, "played"));
}

/** Runs git's own server for one request: sets the headers of the answer and returns the body. */
export async function answerOfGit(
  request: IncomingMessage,
  response: ServerResponse,
  root: string,
  user: string,
): Promise<Buffer> {
  const url = new URL(request.url ?? "/", "http://forge");
  const backend = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      // With a user name, git also allows pushes.
      REMOTE_USER: user,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      ...(request.headers["content-encoding"] ? { HTTP_CONTENT_ENCODING: "gzip" } : {}),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  backend.stdin.on("error", () => undefined);
  request.pipe(backend.stdin);
  const answer = Buffer.concat(await backend.stdout.toArray());
  const split = answer.indexOf("\r\n\r\n");
  for (const line of answer.toString("latin1", 0, split).split("\r\n")) {
    const [name = "", value = ""] = line.split(": ");
    if (name !== "Status") response.setHeader(name, value);
  }
  return answer.subarray(split + 4);
}
