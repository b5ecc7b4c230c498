// The routes for sandboxes (PROTOCOL 3.2). They pass requests on to the sandbox server and store nothing.
import type { Context } from "hono";
import { Hono } from "hono/tiny";
import * as z from "zod/mini";
import {
  type Changes,
  CreateSandboxRequest,
  PlanFile,
  type SandboxAnswer,
  type Tree,
} from "../../shared/api.ts";
import { SaidNotes } from "../../shared/device-notes.ts";
import { HandrailError } from "../../shared/errors.ts";
import { GitValue } from "../../shared/git.ts";
import { type Access, ListValue, type OpName, SandboxId, type SandboxInfo } from "../../shared/sandbox.ts";
import { describeProblem } from "../../shared/schema-problem.ts";
import { RestoreArgs, RestoreValue, SnapshotValue } from "../../shared/snapshot.ts";
import type { Deps } from "../deps.ts";
import { readJson } from "./read-json.ts";

const TreeQuery = z.strictObject({
  path: z.optional(z.string()),
  depth: z.optional(z.string().check(z.regex(/^[1-9]\d?$/, "must be a whole number from 1 to 99"))),
});
const matching = (pattern: RegExp) => z.optional(z.string().check(z.regex(pattern)));
const ListQuery = z.strictObject({ after: matching(/^\d{15}\.[\w-]{1,100}$/) });
const HistoryQuery = z.strictObject({
  after: matching(/^[\w-]{1,100}\.\d{1,9}(\.[0-9a-f]{16})?$/),
  waitMs: matching(/^\d{1,5}$/),
  client: matching(/^[\w-]{1,100}$/),
  known: matching(/^\d{1,15}$/),
});
const FileQuery = z.strictObject({ path: z.string().check(z.minLength(1)) });
const since = z.optional(z.string().check(z.minLength(1)));
const DiffQuery = z.strictObject({
  since,
  all: z.optional(z.literal("1")),
});
const ChangesQuery = z.strictObject({ since });

/** Headers of the sandbox's response that are passed on for a file or an archive. */
const passedOn = [
  "content-type",
  "content-length",
  "content-range",
  "accept-ranges",
  "etag",
  "last-modified",
] as const;

export function sandboxRoutes(deps: Deps): Hono {
  const { sandbox } = deps;

  /** The value of one call; throws its error. */
  async function call<T extends z.core.$ZodType>(
    id: string,
    access: Access,
    op: OpName,
    args: object,
    value: T,
  ) {
    const calls = [{ key: `api-${deps.newId()}`, op, args: { ...args } }];
    for await (const line of sandbox.calls(id, { access, calls })) {
      if (line.type !== "result") continue;
      if (line.ok) return z.parse(value, line.value);
      const { code, message, details } = line.error ?? {
        code: "internal",
        message: "The sandbox gave no reason.",
      };
      throw new HandrailError(code, message, details === undefined ? {} : { details });
    }
    throw new HandrailError("sandbox_unreachable", "The sandbox server ended without a result. Try again.");
  }

  /** The changes since a snapshot: all of them, or those of one side. */
  async function diff(id: string, since = "start", whose?: "own" | "others") {
    const args = { verb: "diff", since, ...(whose ? { whose } : {}) };
    const value = await call(id, "readonly", "git", args, GitValue);
    if (value.exitCode <= 1) return value;
    throw new HandrailError("not_found", "since: no diff from there; give a snapshot of this sandbox.");
  }

  return new Hono()
    .get("/sandboxes", async (c) => {
      const { sessionList } = await import("../history/sessions.ts");
      return c.json(await sessionList(sandbox, queryOf(c, ListQuery).after));
    })
    .get("/sandboxes/:id/history", async (c) => {
      const { sessionHistory } = await import("../history/sessions.ts");
      return c.json(await sessionHistory(deps, idOf(c), queryOf(c, HistoryQuery), c.req.raw.signal));
    })
    .post("/sandboxes/:id/notes", async (c) => {
      await sandbox.tell(idOf(c), "notes", await readJson(c, SaidNotes));
      return c.json({ ok: true });
    })
    .post("/sandboxes", async (c) => {
      const body = await readJson(c, CreateSandboxRequest);
      const { source } = body;
      if (deps.forges.tokens && source && "git" in source)
        source.git = (await import("../forge/forge-settings.ts")).withServerToken(deps.forges, source.git);
      const person = sandbox.guests && c.get("person");
      return c.json(answerOf(await sandbox.create({ ...body, ...(person && { person }) })), 201);
    })
    .get("/sandboxes/:id", async (c) => c.json(answerOf(await sandbox.get(idOf(c)))))
    .delete("/sandboxes/:id", async (c) => {
      await sandbox.remove(idOf(c));
      return c.body(null, 204);
    })
    .post("/sandboxes/:id/wake", async (c) => {
      await sandbox.raw(idOf(c), `wake${new URL(c.req.url).search}`, { method: "POST" });
      return c.body(null, 204);
    })
    .delete("/sandboxes/:id/grants", async (c) => {
      await sandbox.revoke(idOf(c));
      return c.body(null, 204);
    })
    .delete("/sandboxes/:id/grants/:grant", async (c) => {
      await sandbox.revoke(idOf(c), c.req.param("grant"));
      return c.body(null, 204);
    })
    .on(["POST", "DELETE"], "/sandboxes/:id/background/:command", async (c) => {
      const path = `background/${encodeURIComponent(c.req.param("command"))}`;
      await sandbox.raw(idOf(c), path, { method: c.req.method });
      return c.body(null, 204);
    })
    .get("/sandboxes/:id/taken-out", async (c) => c.json(await sandbox.takenOut(idOf(c))))
    .post("/sandboxes/:id/taken-out/:entry", async (c) => {
      await sandbox.putBack(idOf(c), c.req.param("entry"));
      return c.body(null, 204);
    })
    .get("/sandboxes/:id/commands", async (c) => {
      const { sandboxCommands } = await import("../inputs/project-commands.ts");
      return c.json(await sandboxCommands(deps, idOf(c)));
    })
    .post("/sandboxes/:id/plan-file", async (c) => {
      const { path, text } = await readJson(c, PlanFile);
      const files = [{ path, content: text, base: null }];
      const id = idOf(c);
      await call(id, "write", "change", { files }, z.unknown()).catch(async (error: unknown) => {
        // The response to an earlier attempt may have been lost: the same file already exists.
        const file = await sandbox.raw(id, `file?path=${encodeURIComponent(path)}`).catch(() => undefined);
        if ((await file?.text()) !== text) throw error;
      });
      return c.json({ path }, 201);
    })
    .all("/sandboxes/:id/:_{git|commit|push|bundle|worktree|bring-back|hosts|network}", async (c) =>
      (await import("./delivery.ts")).delivery(c, deps, idOf(c)),
    )
    .all("/sandboxes/:id/pull-request/:part?", async (c) =>
      (await import("./forge.ts")).pullRequest(c, deps, idOf(c)),
    )
    .all("/forges/:host?/:what?", async (c) => (await import("./forge.ts")).forges(c, deps))
    .get("/sandboxes/:id/hooks", async (c) =>
      c.json(await (await import("../hooks/read-hooks.ts")).hooksState(deps, idOf(c))),
    )
    .all("/mcp/:what?", async (c) => (await import("./mcp.ts")).mcp(c, deps))
    .get("/sandboxes/:id/tree", async (c) => {
      const { path, depth } = queryOf(c, TreeQuery);
      const args = { path, ...(depth === undefined ? {} : { depth: Number(depth) }) };
      return c.json<Tree>(await call(idOf(c), "readonly", "list", args, ListValue));
    })
    .get("/sandboxes/:id/diff", async (c) => {
      const { since, all } = queryOf(c, DiffQuery);
      const value = await diff(idOf(c), since, all === undefined ? "own" : undefined);
      c.header("x-handrail-truncated", String(value.truncated));
      return c.body(value.stdout, 200, { "content-type": "text/x-diff; charset=utf-8" });
    })
    .get("/sandboxes/:id/changes", async (c) => {
      const { since } = queryOf(c, ChangesQuery);
      const own = await diff(idOf(c), since, "own");
      const others = await diff(idOf(c), since, "others");
      const { mixed = [], commits = [], countedFrom } = own;
      const truncated = own.truncated || others.truncated;
      const diffs = { own: own.stdout, others: others.stdout };
      return c.json<Changes>({ ...diffs, truncated, mixed, commits, countedFrom });
    })
    .get("/sandboxes/:id/file", async (c) => {
      const { path } = queryOf(c, FileQuery);
      return relay(c, await sandbox.raw(idOf(c), `file?path=${encodeURIComponent(path)}`, rangeOf(c)));
    })
    .get("/sandboxes/:id/archive", async (c) => relay(c, await sandbox.raw(idOf(c), "archive")))
    .post("/sandboxes/:id/snapshot", async (c) =>
      c.json(await call(idOf(c), "readonly", "snapshot", {}, SnapshotValue)),
    )
    .post("/sandboxes/:id/restore", async (c) => {
      const body = await readJson(c, RestoreArgs);
      return c.json<RestoreValue>(await call(idOf(c), "write", "restore", body, RestoreValue));
    });
}

function answerOf({ id, ...rest }: SandboxInfo): SandboxAnswer {
  return { sandboxId: id, ...rest };
}

function idOf(c: Context): string {
  const parsed = z.safeParse(SandboxId, c.req.param("id"));
  if (parsed.success) return parsed.data;
  throw new HandrailError("invalid_request", describeProblem(parsed.error, "sandbox id"));
}

function queryOf<T extends z.core.$ZodType>(c: Context, schema: T): z.output<T> {
  const query = c.req.query();
  const parsed = z.safeParse(schema, query);
  if (parsed.success) return parsed.data;
  throw new HandrailError("invalid_request", describeProblem(parsed.error, "query", query));
}

function rangeOf(c: Context): RequestInit {
  const range = c.req.header("range");
  return range === undefined ? {} : { headers: { range } };
}

function relay(c: Context, from: Response): Response {
  for (const name of passedOn) {
    const value = from.headers.get(name);
    if (value !== null) c.header(name, value);
  }
  return new Response(from.body, { status: from.status, headers: c.res.headers });
}
