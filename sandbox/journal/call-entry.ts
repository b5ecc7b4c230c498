// One call by its key: what it is, and how far it has come. Keys are scoped to a sandbox.
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { CallsLine } from "../../shared/calls-line.ts";
import { isObject } from "../../shared/is-record.ts";
import { type CallResult, OpName } from "../../shared/sandbox.ts";
import type { JournalFile } from "./journal-file.ts";
import type { StoredLine } from "./journal-lines.ts";

export type OutputLine = Extract<CallsLine, { type: "output" }>;
/** Events of a call before its result. */
export type RunLine = Extract<CallsLine, { type: "output" | "started" }>;

/** How a call ended, before the result is journaled. `ms`: how long it ran. */
export type CallOutcome = Pick<CallResult, "ok" | "value" | "error" | "ms">;

export interface CallIdentity {
  key: string;
  op: OpName;
  /** Hash of op and arguments: the same key with another one is `key_reused`. */
  argsHash: string;
  /** See isHarmless. */
  harmless: boolean;
}

/**
 * `reserved`: accepted, not started. `unrecorded`: it ran, but its result could not be written. `done`: its result is
 * line `seq` of the log. `again`: harmless, interrupted by the server's death; it may run again.
 */
export type CallState =
  | { at: "reserved" | "running" | "unrecorded"; run: CallRun }
  | { at: "done"; seq: number }
  | { at: "again" };

export interface CallEntry extends CallIdentity {
  turnId: string | undefined;
  /** The journal that has its lines. */
  log: JournalFile;
  state: CallState;
}

/** Whether a call leaves no trace in the workspace: running it a second time cannot do anything twice. */
export function isHarmless(op: OpName, args: unknown): boolean {
  if (op === "git") {
    const verb = isObject(args) ? args.verb : undefined;
    return verb !== "add" && verb !== "commit";
  }
  // It runs in a copy that is thrown away.
  if (op === "exec") return isObject(args) && "tree" in args;
  // Reading or ending a background command twice has the same effect as once; a commit contains its key.
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

/** As isHarmless, for a line `started`. */
export function isHarmlessLine({ op, args, argsHash }: StoredLine): boolean {
  // A compacted journal keeps only calls that are not harmless.
  const known = z.safeParse(OpName, op);
  return argsHash === undefined && known.success && isHarmless(known.data, args);
}

/** Hash of the op and arguments of a line `started`. */
export function hashOfLine({ op, args, argsHash }: StoredLine): string {
  return typeof argsHash === "string" ? argsHash : hashOfCall(String(op), args);
}

/** A call on its way: when it began, output so far, and its result when there is one. */
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

  /** It begins now, at `at`. */
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

  /** Gives `follower` the output so far, and then everything new. */
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
