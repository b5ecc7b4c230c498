// Dispatches an op by its name: checks its arguments and tells which lock it needs.
import * as z from "zod/mini";
import { BackgroundArgs } from "../../shared/background.ts";
import { CommitArgs } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import { GitArgs } from "../../shared/git.ts";
import { LookArgs } from "../../shared/look.ts";
import { opArgs } from "../../shared/op-schemas.ts";
import {
  type Access,
  ChangeArgs,
  ExecArgs,
  ListArgs,
  type OpName,
  ReadArgs,
  SearchArgs,
} from "../../shared/sandbox.ts";
import { describeProblem } from "../../shared/schema-problem.ts";
import { RestoreArgs, SnapshotArgs } from "../../shared/snapshot.ts";
import { commit } from "../delivery/commit.ts";
import type { LockKind } from "../workspace/folder-lock.ts";
import { attributed } from "./attributed.ts";
import { background, startInBackground } from "./background.ts";
import { change } from "./change/change.ts";
import { exec } from "./exec.ts";
import { git } from "./git.ts";
import { list } from "./list.ts";
import { look, ownMoves } from "./look.ts";
import type { OpContext } from "./op-context.ts";
import { read } from "./read.ts";
import { search } from "./search.ts";
import { restore, snapshot } from "./snapshot.ts";

/** Throws `invalid_request` and names the field unless the arguments fit the op. */
export function checkArgs(op: OpName, args: unknown): void {
  parsed(opArgs[op], args);
}

/** Whether the op may write to the workspace. */
export function mutates(op: OpName, args: Record<string, unknown>): boolean {
  if (op === "git") return args.verb === "add" || args.verb === "commit";
  return op === "change" || op === "restore" || op === "commit";
}

/** The lock under which the op uses the folder. */
export function lockOf(op: OpName, args: Record<string, unknown>, access: Access): LockKind {
  if (op === "exec") return access === "write" && args.tree === undefined ? "run" : "read";
  if (mutates(op, args)) return "change";
  // Other calls may read meanwhile, but not write.
  if (op === "snapshot") return "run";
  return "read";
}

/** Runs the op and returns its value. Throws HandrailError. */
export async function runOp(op: OpName, args: unknown, context: OpContext): Promise<unknown> {
  switch (op) {
    case "read":
      return read(parsed(ReadArgs, args), context);
    case "list":
      return list(parsed(ListArgs, args), context);
    case "search":
      return search(parsed(SearchArgs, args), context);
    case "change":
      return change(parsed(ChangeArgs, args), context);
    case "exec":
      return ownMoves(context.sandbox, () => runCommand(parsed(ExecArgs, args), context));
    case "git": {
      const asked = parsed(GitArgs, args);
      const work = () => git(asked, context);
      return asked.verb === "commit" ? ownMoves(context.sandbox, work) : work();
    }
    case "commit":
      return ownMoves(context.sandbox, () => commit(parsed(CommitArgs, args), context));
    case "snapshot":
      parsed(SnapshotArgs, args);
      return snapshot(context);
    case "restore":
      return attributed(context.sandbox, () => restore(parsed(RestoreArgs, args), context));
    case "background":
      return background(parsed(BackgroundArgs, args), context);
    case "look":
      return look(parsed(LookArgs, args), context);
  }
}

/** In a throwaway copy, or with read-only access, the command changes nothing in the workspace. */
function runCommand(args: ExecArgs, context: OpContext): Promise<unknown> {
  // The changes of a background command cannot be attributed to it: see ARCHITECTURE.md.
  if (args.background) return startInBackground(args, context);
  const writes = context.access === "write" && args.tree === undefined;
  const run = () => exec(args, context);
  return writes ? attributed(context.sandbox, run) : run();
}

function parsed<T extends z.core.$ZodType>(schema: T, args: unknown): z.infer<T> {
  const result = z.safeParse(schema, args);
  if (result.success) return result.data;
  throw new HandrailError("invalid_request", describeProblem(result.error, "args"));
}
