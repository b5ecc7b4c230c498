// Routes of pull requests and forges (PROTOCOL 3.2). Loaded with the first such request. The token is passed on and not
// stored.
import type { Context } from "hono";
import * as z from "zod/mini";
import type { GitRemote, GitState } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import {
  AnswerArgs,
  ChangePullRequestArgs,
  DeleteBranchArgs,
  DeviceTokenArgs,
  type ForgeList,
  MergeArgs,
  PullRequestArgs,
  ResolveArgs,
} from "../../shared/forge.ts";
import { createRedactor } from "../../shared/redact/redactor.ts";
import { describeProblem } from "../../shared/schema-problem.ts";
import type { Deps } from "../deps.ts";
import { deviceCode, deviceToken } from "../forge/device-flow.ts";
import type { Forge } from "../forge/forge.ts";
import { forgeRefusal } from "../forge/forge-error.ts";
import { serverToken } from "../forge/forge-settings.ts";
import { connect, forgeAt, hasDevice, knownForges } from "../forge/known-forges.ts";
import { answeredOnce, branchDeleted, mergedOnce, openedOnce } from "../forge/pull-requests.ts";
import { mustBeSeen } from "../forge/seen-remote.ts";
import { stateOf } from "./delivery.ts";
import { readJson } from "./read-json.ts";

const matching = (pattern: RegExp, words: string) => z.string().check(z.regex(pattern, words));
/** A URL resolves `..`, so such a name would reach another path of the forge. */
const Repository = matching(/^(?!(.*\/)?\.+(\/|$))[^/\s]+(\/[^/\s]+)+$/, "must be OWNER/NAME");
const page = z.optional(matching(/^[1-9]\d{0,4}$/, "must be a number"));
const text = z.optional(z.string().check(z.maxLength(200)));
const queries = {
  pull: z.strictObject({ branch: z.optional(z.string()) }),
  log: z.strictObject({
    number: matching(/^\d{1,9}$/, "must be a number"),
    check: z.string().check(z.maxLength(300)),
  }),
  repositories: z.strictObject({ text, page }),
  within: z.strictObject({ repository: Repository, text, page }),
  issue: z.strictObject({ repository: Repository, number: matching(/^\d{1,9}$/, "must be a number") }),
};

/** `/sandboxes/:id/pull-request` and its subroutes. `id`: already validated. */
export async function pullRequest(c: Context, deps: Deps, id: string): Promise<Response> {
  const [, part = ""] = /\/pull-request\/?([^/]*)$/.exec(c.req.path) ?? [];
  switch (`${c.req.method} ${part}`) {
    case "POST ": {
      const args = await readJson(c, PullRequestArgs);
      const { forge, repository, remote, state } = await forgeOf(c, deps, id);
      const { branch } = state;
      if (args.host !== undefined && args.host !== remote.host)
        throw invalid(`The remote is ${remote.host} by now. Look at it again.`);
      if (branch === null || (args.branch ?? branch) !== branch)
        throw invalid(`branch: ${branch ?? "no branch"} is checked out here. Look at it again.`);
      const base = args.base ?? state.defaultBranch ?? (await forge.defaultBranch(repository));
      if (base === branch)
        throw invalid(`base: ${base} is the branch itself. Commit to another branch first.`);
      const { title, body, draft } = args;
      const pull = { title: line(title), body, branch, base, draft };
      return c.json(await openedOnce(forge, repository, pull, state.head));
    }
    case "GET ": {
      const { branch } = queryOf(c, queries.pull);
      const { forge, repository, state } = await forgeOf(c, deps, id);
      const asked = branch ?? state.branch;
      const found = asked === null ? null : await forge.find(repository, asked);
      if (found === null) throw new HandrailError("not_found", `${asked} has no pull request yet.`);
      return c.json(await forge.look(repository, found.number));
    }
    case "POST merge": {
      const args = await readJson(c, MergeArgs);
      const { forge, repository } = await forgeOf(c, deps, id);
      return c.json(await mergedOnce(forge, repository, args));
    }
    case "POST delete-branch": {
      const { number } = await readJson(c, DeleteBranchArgs);
      const { forge, repository } = await forgeOf(c, deps, id);
      await branchDeleted(forge, repository, number);
      return c.body(null, 204);
    }
    case "POST resolve": {
      const { number, thread } = await readJson(c, ResolveArgs);
      const { forge, repository } = await forgeOf(c, deps, id);
      await forge.resolve(repository, number, thread);
      return c.body(null, 204);
    }
    case "POST answer": {
      const args = await readJson(c, AnswerArgs);
      const { forge, repository } = await forgeOf(c, deps, id);
      await answeredOnce(forge, repository, args);
      return c.body(null, 204);
    }
    case "POST change": {
      const { number, title, ...more } = await readJson(c, ChangePullRequestArgs);
      const { forge, repository } = await forgeOf(c, deps, id);
      await forge.change(repository, number, { ...more, ...(title !== undefined && { title: line(title) }) });
      const { url, state } = await forge.byNumber(repository, number);
      return c.json({ number, url, state });
    }
    case "GET log": {
      const { number, check } = queryOf(c, queries.log);
      const { forge, repository } = await forgeOf(c, deps, id);
      const log = await forge.log(repository, Number(number), check);
      // The text becomes part of a message to the model.
      return c.json({ ...log, text: createRedactor(deps.secrets).redact(log.text) });
    }
    default:
      throw noRoute(c);
  }
}

/** `/forges`, and `/forges/:host/…`. */
export async function forges(c: Context, deps: Deps): Promise<Response> {
  const name = c.req.param("host");
  const what = c.req.param("what");
  if (name === undefined) {
    if (c.req.method !== "GET") throw noRoute(c);
    const list = knownForges(deps.forges).map((place) => ({
      host: place.host,
      kind: place.kind,
      device: hasDevice(place, deps.forges),
      signedIn: serverToken(deps.forges, place.host) !== "",
    }));
    return c.json<ForgeList>({ forges: list });
  }
  const signal = c.req.raw.signal;
  const forge = () => {
    const place = forgeAt(deps.forges, name);
    // In a remote's host, the port may be that of ssh. Here the request must name the forge exactly, because the token
    // is for that forge only.
    if (place.host !== name)
      throw invalid(`${name} is not a forge that this server knows; ${place.host} is.`);
    return connect(deps, place, c.req.header("x-git-token"), signal);
  };
  const within = async (list: "branches" | "issues") => {
    const { repository, text = "", page = 1 } = queryOf(c, queries.within);
    const { items, next } = await forge()[list](repository, text, Number(page));
    return c.json({ [list]: items, next });
  };
  switch (`${c.req.method} ${what}`) {
    case "GET user":
      return c.json(await forge().user());
    case "GET repositories": {
      const { text = "", page = 1 } = queryOf(c, queries.repositories);
      const { items, next } = await forge().repositories(text, Number(page));
      return c.json({ repositories: items, next });
    }
    case "GET branches":
      return within("branches");
    case "GET issues":
      return within("issues");
    case "GET issue": {
      const { repository, number } = queryOf(c, queries.issue);
      return c.json(await forge().issue(repository, Number(number)));
    }
    case "POST device": {
      return c.json(await deviceCode(deps, name, signal));
    }
    case "POST device-token": {
      const { deviceCode: code } = await readJson(c, DeviceTokenArgs);
      return c.json(await deviceToken(deps, name, code, signal));
    }
    default:
      throw noRoute(c);
  }
}

interface ForgeOfSandbox {
  forge: Forge;
  repository: string;
  remote: GitRemote;
  state: GitState;
}

async function forgeOf(c: Context, deps: Deps, id: string): Promise<ForgeOfSandbox> {
  const { state } = await stateOf(deps.sandbox, id);
  const { remote } = state;
  if (!remote) throw invalid("This repository has no remote on another machine.");
  mustBeSeen(c, remote);
  if (!remote.owner) throw forgeRefusal("unsupported", `${remote.name} at ${remote.host} has no owner.`);
  const place = forgeAt(deps.forges, remote.host);
  const forge = connect(deps, place, c.req.header("x-git-token"), c.req.raw.signal);
  return { forge, repository: `${remote.owner}/${remote.name}`, remote, state };
}

/** A title is a single line without invisible characters. */
function line(title: string): string {
  return title.replace(/[\p{C}\s]+/gu, " ").trim();
}

function queryOf<T extends z.core.$ZodType>(c: Context, schema: T): z.output<T> {
  const query = c.req.query();
  const parsed = z.safeParse(schema, query);
  if (parsed.success) return parsed.data;
  throw invalid(describeProblem(parsed.error, "query", query));
}

function invalid(message: string): HandrailError {
  return new HandrailError("invalid_request", message);
}

function noRoute(c: Context): HandrailError {
  return new HandrailError("not_found", `${c.req.method} ${c.req.path}: no such route.`);
}
