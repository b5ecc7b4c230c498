// Rarely used routes of sandboxes (PROTOCOL 3.2): repository, commit, push, worktree, hosts, network. Loaded with the
// first such request.
import type { Context } from "hono";
import * as z from "zod/mini";
import {
  CommitRequest,
  Committed,
  GitInSandbox,
  type GitRemote,
  type GitState,
  Pushed,
  PushLook,
  type PushPreview,
  PushRequest,
} from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import { GitValue } from "../../shared/git.ts";
import { AllowHost, OpenNetwork } from "../../shared/network.ts";
import { type Call, ExecValue, SandboxInfo } from "../../shared/sandbox.ts";
import { BringBack, GiveWorktree } from "../../shared/worktree.ts";
import type { Deps } from "../deps.ts";
import { tokenForUrl } from "../forge/forge-settings.ts";
import { mustBeSeen } from "../forge/seen-remote.ts";
import type { SandboxClient } from "../sandbox/client.ts";
import { readJson } from "./read-json.ts";

/** `id`: the sandbox's id, already validated. Throws `not_found` for a method that the route does not support. */
export async function delivery(c: Context, deps: Deps, id: string): Promise<Response> {
  const { sandbox } = deps;
  const part = c.req.path.slice(c.req.path.lastIndexOf("/") + 1);
  switch (`${c.req.method} ${part}`) {
    case "GET git":
      return c.json((await stateOf(sandbox, id)).state);
    case "GET worktree":
      return c.json(await (await sandbox.raw(id, "worktree")).json());
    case "POST worktree": {
      const made = await sandbox.raw(id, "worktree", posted(await readJson(c, GiveWorktree)));
      const { id: sandboxId, ...rest } = z.parse(SandboxInfo, await made.json());
      return c.json({ sandboxId, ...rest }, 201);
    }
    case "POST hosts":
      return c.json(await (await sandbox.raw(id, part, posted(await readJson(c, AllowHost)))).json());
    case "POST network":
      return c.json(await (await sandbox.raw(id, part, posted(await readJson(c, OpenNetwork)))).json());
    case "DELETE hosts":
    case "DELETE network":
      await sandbox.raw(id, part, { method: "DELETE" });
      return c.body(null, 204);
    case "POST bring-back":
      return c.json(await (await sandbox.raw(id, part, posted(await readJson(c, BringBack)))).json());
    case "POST commit":
      return c.json(await commitFiles(sandbox, id, await readJson(c, CommitRequest)));
    case "GET push":
      return c.json(await preview(c, deps, id));
    case "GET bundle": {
      const { state } = await stateOf(sandbox, id);
      if (state.ahead === 0) throw new HandrailError("invalid_request", "A remote has every commit.");
      const { body } = await sandbox.raw(id, part);
      return new Response(body, { headers: { "content-type": "application/x-git-bundle" } });
    }
    case "POST push": {
      const request = await readJson(c, PushRequest);
      const { state, url } = await stateOf(sandbox, id);
      const { host = state.remote?.host, ...what } = request;
      if (url === null || !state.remote) throw noRemote();
      mustBeSeen(c, state.remote);
      if (host !== state.remote.host)
        throw new HandrailError("invalid_request", `The remote is ${state.remote.host}.`);
      const answer = await atRemote(c, deps, id, { ...what, url });
      const { branch: to, commit } = z.parse(Pushed, { remote: state.remote, ...answer });
      return c.json({ remote: state.remote, branch: to, commit });
    }
    default:
      throw new HandrailError("not_found", `${c.req.method} ${c.req.path}: no such route.`);
  }
}

function posted(body: object) {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/**
 * Contacts the remote at `url`, with the token from the request or the server's own. Throws `push_refused` with a
 * sentence.
 */
async function atRemote(
  c: Context,
  { sandbox, forges }: Deps,
  id: string,
  body: { url: string; [key: string]: unknown },
): Promise<object> {
  const token = c.req.header("x-git-token") || tokenForUrl(forges, body.url);
  const { headers, ...init } = posted(body);
  const known = token && { "x-git-token": /.:/.test(token) ? token : `x-access-token:${token}` };
  const asked = sandbox.raw(id, "push", { ...init, headers: { ...headers, ...known } });
  const answer = await asked.catch((error: unknown) => {
    throw inWords(error, token !== "");
  });
  return answer.json();
}

function noRemote(): HandrailError {
  return new HandrailError("invalid_request", "This repository has no remote on another machine.");
}

/** `url`: the remote's address, without credentials. */
export async function stateOf(
  sandbox: SandboxClient,
  id: string,
): Promise<{ state: GitState; url: string | null }> {
  const { remote: url, ...rest } = z.parse(GitInSandbox, await (await sandbox.raw(id, "git")).json());
  return { state: { ...rest, remote: url === null ? null : remoteAt(url) }, url };
}

/** The owner may have several parts; null for an address without a name. */
function remoteAt(text: string): GitRemote | null {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const [, host = url?.host, path = url?.pathname ?? ""] = url
    ? []
    : (/^(?:[^@/]*@)?([^:/]+):(.+)$/.exec(text) ?? []);
  const parts = path.split("/").filter(Boolean);
  const name = parts.pop()?.replace(/\.git$/, "");
  return host && name ? { host, owner: parts.join("/"), name } : null;
}

/** Commits under a key that no other kind of call uses. */
async function commitFiles(
  sandbox: SandboxClient,
  id: string,
  { hooks, ...args }: CommitRequest,
): Promise<Committed> {
  const kept = !hooks || args.undo ? args : { ...args, message: await afterHooks(sandbox, id, args) };
  return resultOf(sandbox, id, { key: `commit-${args.key}`, op: "commit", args: kept }, Committed);
}

/** Journaled under the request's key, so that a repeated request finds the hooks' output. */
async function afterHooks(sandbox: SandboxClient, id: string, args: CommitRequest): Promise<string> {
  const { messageAfterHooks } = await import("../forge/commit-hooks.ts");
  return messageAfterHooks(args, (command) =>
    resultOf(sandbox, id, { key: `hooks-${args.key}`, op: "exec", args: { command } }, ExecValue),
  );
}

/** The value of one call; throws its error. */
async function resultOf<T extends z.core.$ZodType>(
  sandbox: SandboxClient,
  id: string,
  call: Call,
  value: T,
): Promise<z.output<T>> {
  const access = call.op === "git" ? "readonly" : "write";
  for await (const line of sandbox.calls(id, { access, calls: [call] })) {
    if (line.type !== "result") continue;
    if (line.ok) return z.parse(value, line.value);
    const { code = "internal", message = "The sandbox gave no reason.", details } = line.error ?? {};
    throw new HandrailError(code, message, details === undefined ? {} : { details });
  }
  throw new HandrailError("sandbox_unreachable", "The sandbox server ended without a result. Try again.");
}

/** How many commits and files are listed; all of them are counted. */
const listed = 200;
/** The most commits that the op lists, and the most ids that it accepts. */
const mostCommits = 1_000;
/** The id of the empty tree, which is the same in every repository. */
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/**
 * What a push of the checked-out branch would send: the commits that the remote lacks. The remote is contacted only if
 * the request names it, because a command may have set another one. Otherwise, or if it does not answer, its
 * remote-tracking branches decide; without those, all commits that no remote is known to have.
 */
async function preview(c: Context, deps: Deps, id: string): Promise<PushPreview> {
  const { sandbox } = deps;
  const branch = c.req.query("branch");
  const { state, url } = await stateOf(sandbox, id);
  const { remote, head, upstream } = state;
  if (!remote || url === null) throw noRemote();
  if (!branch || branch !== state.branch || head === null)
    throw new HandrailError("invalid_request", `branch: ${branch} is not the one that is checked out here.`);
  const named = c.req.header("x-git-remote");
  if (named) mustBeSeen(c, remote);
  const look = { key: crypto.randomUUID(), branch, commit: head, url, look: true };
  const said =
    named &&
    (await atRemote(c, deps, id, look).then(
      (answer) => z.parse(PushLook, answer),
      // An error here would also fail the next request.
      () => undefined,
    ));
  const ahead = said ? said.ahead : state.ahead;
  const has = said ? said.has.slice(0, mostCommits) : upstream ? [upstream] : undefined;
  const git = (args: Record<string, unknown>): Promise<GitValue> =>
    resultOf(sandbox, id, { key: `api-${crypto.randomUUID()}`, op: "git", args }, GitValue);
  const since = has ? { not: has } : { unpushed: true };
  const log = ahead === 0 ? "" : (await git({ verb: "log", limit: mostCommits, rev: head, ...since })).stdout;
  const subjects = new Map<string, string>();
  // `HASH DATE AUTHOR: SUBJECT`
  for (const [, commit = "", subject = ""] of log.matchAll(/^(\S+) \S+ (.*)$/gm))
    subjects.set(commit, subject);
  const ids = [...subjects.keys()];
  // A commit whose text is hidden (an escape sequence, something that looks like a secret) is still listed.
  const commits = (said ? said.ids : ids.slice(0, listed)).map((commit) => ({
    commit,
    subject: subjects.get(commit) ?? "",
  }));
  const files: PushPreview["files"] = [];
  if (ahead > 0) {
    const diff = (since: string) => git({ verb: "diff", stat: true, rev: since });
    const whole = `${emptyTree}..${head}`;
    const base = has?.length === 1 ? has[0] : ids.length < ahead ? undefined : `${ids.at(-1)}^`;
    let changed = await diff(base === undefined ? whole : `${base}...${head}`);
    // The very first commit has no parent.
    if (changed.exitCode) changed = await diff(whole);
    for (const [, added, removed, path = ""] of changed.stdout.matchAll(/^(\d+|-)\t(\d+|-)\t(.+)$/gm))
      files.push({ path, added: Number(added) || 0, removed: Number(removed) || 0 });
  }
  const total = { commits: ahead, files: files.length, added: 0, removed: 0 };
  for (const { added, removed } of files) {
    total.added += added;
    total.removed += removed;
  }
  return {
    ...{ remote, branch, commit: head, asked: !!said, commits, total },
    files: files.slice(0, listed),
  };
}

/** What git prints, and the reason that it means; the first match is used. */
const reasons = [
  ["behind", /^!\t.*\[rejected\]/m],
  ["remote", /^!\t.*\[remote rejected\]/m],
  ["token", /Authentication failed|could not read (Username|Password)|\b40[13]\b|Permission denied/],
  ["repository", /\b404\b|not found|Cannot access URL/],
  ["redirect", /\b30[1-8]\b|redirect/],
] as const;

/** The error with the reason for the refusal and the remedy. */
function inWords(error: unknown, hadToken: boolean): unknown {
  if (!(error instanceof HandrailError) || error.code !== "push_refused") return error;
  const said = String(error.details?.said);
  const reason = reasons.find(([, pattern]) => pattern.test(said))?.[0] ?? "other";
  const why = /\[remote rejected\] \((.*)\)/.exec(said)?.[1] ?? "it gave no reason";
  const words: Record<string, string> = {
    behind:
      "The remote has commits on this branch that are not here, so nothing was pushed. Fetch and rebase first, then push again.",
    remote: `The remote refused the branch: ${why}. Its rules decide that; another branch may be taken.`,
    token: hadToken
      ? "The remote did not take this token for a push. It has to be valid for this repository, with the right to write contents."
      : "The remote asks who you are. Give a token that may write to this repository.",
    repository: "The remote has no such repository, or this token may not see it.",
    redirect:
      "The remote sends elsewhere, where the token does not go. Set the remote to its new address, then push again.",
  };
  const message = words[reason] ?? `The push did not work. ${error.message}`;
  return new HandrailError("push_refused", message, { details: { reason, said } });
}
