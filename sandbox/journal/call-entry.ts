// One call by its key: its identity and its state. Keys are scoped to a sandbox.
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { CallsLine } from "../../shared/calls-line.ts";
import { isObject } from "../../shared/is-record.ts";
import { type CallResult, OpName } from "../../shared/sandbox.ts";
import type { JournalFile } from "./journal-file.ts";
import type { StoredLine } from "./journal-lines.ts";

export type OutputLine = Extract<CallsLine, { type: "output" }>;
/** Lines of a call before its result. */
export type RunLine = Extract<CallsLine, { type: "output" | "started" }>;

/** How a call ended, before the result is journaled. `ms`: how long it ran. */
export type CallOutcome = Pick<CallResult, "ok" | "value" | "error" | "ms">;

export interface CallIdentity {
  key: string;
  op: OpName;
  /** Hash of op and arguments. The same key with another hash is refused with `key_reused`. */
  argsHash: string;
  /** See isHarmless. */
  harmless: boolean;
}

/**
 * `reserved`: accepted, not started. `unrecorded`: it ran, but its result could not be written. `done`: its
 * result is line `seq` of the log. `again`: a harmless call that the server's death interrupted; it may run
 * again.
 */
export type CallState =
  | { at: "reserved" | "running" | "unrecorded"; run: CallRun }
  | { at: "done"; seq: number }
  | { at: "again" };

export interface CallEntry extends CallIdentity {
  turnId: string | undefined;
  /** The journal that contains its lines. */
  log: JournalFile;
  state: CallState;
}

/** Whether a call leaves no trace in the workspace, so that running it twice has no effect. */
export function isHarmless(op: OpName, args: unknown): boolean {
  if (op === "git") {
    const verb = isObject(args) ? args.verb : undefined;
    return verb !== "add" && verb !== "commit";
  }
  // The command runs in a copy that is thrown away.
  if (op === "exec") return isObject(args) && "tree" in args;
  // Reading or ending a background command twice has the same effect as once. A commit's message contains its
  // key, so it is not made twice.
  return (
    op === "read" ||
    op === "list" ||
    op === "search" ||
    op === "snapshot" ||
    op === "look" ||
    op === "background" ||
    op === "commit"
  );
}

/** Like isHarmless, for a `started` line. */
export function isHarmlessLine({ op, args, argsHash }: StoredLine): boolean {
  // A compacted journal keeps only calls that are not harmless.
  const known = z.safeParse(OpName, op);
  return argsHash === undefined && known.success && isHarmless(known.data, args);
}

/** Hash of the op and arguments of a `started` line. */
export function hashOfLine({ op, args, argsHash }: StoredLine): string {
  return typeof argsHash === "string" ? argsHash : hashOfCall(String(op), args);
}

/** A call in progress: when it began, its output so far, and its result when there is one. */
export class CallRun {
  readonly abort = new AbortController();
  readonly command: string;
  startedAt: number | undefined;
  readonly #lines: RunLine[] = [];
  readonly #followers = new Set<(line: RunLine) => void>();
  #settle: (result: CallResult) => void = () => undefined;
  /** Never rejects. */
  readonly result: Promise<CallResult>;

  constructor(command: string) {
    this.command = command;
    this.result = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Marks the call as begun at `at`. */
  begin(key: string, at: number): void {
    this.startedAt = at;
    this.#tell({ type: "started", key, at });
  }

  output(line: OutputLine): void {
    this.#tell(line);
  }

  #tell(line: RunLine): void {
    this.#lines.push(line);
    for (const follower of this.#followers) follower(line);
  }

  end(result: CallResult): void {
    this.#followers.clear();
    this.#settle(result);
  }

  /** Passes the output so far to `follower`, and then all new output. */
  follow(follower: (line: RunLine) => void): void {
    for (const line of this.#lines) follower(line);
    this.#followers.add(follower);
  }
}

/** Hash of an op and its arguments that does not depend on the order of keys. */
export function hashOfCall(op: string, args: unknown): string {
  return createHash("sha256")
    .update(canonical([op, args]))
    .digest("hex");
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (isObject(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
