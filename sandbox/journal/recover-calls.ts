// Derives the state of a journal's calls after a restart: done, may run again, or unknown.
import * as z from "zod/mini";
import { OpName } from "../../shared/sandbox.ts";
import { type CallEntry, hashOfLine, isHarmlessLine } from "./call-entry.ts";
import type { JournalFile } from "./journal-file.ts";
import type { LineDraft, StoredLine } from "./journal-lines.ts";

/** `unknown`: calls that started, have no result, and are not harmless to run again. */
export function callsIn(
  lines: readonly StoredLine[],
  turnId: string | undefined,
  log: JournalFile,
): { entries: CallEntry[]; unknown: CallEntry[] } {
  const entries = new Map<string, CallEntry>();
  for (const line of lines) {
    const key = typeof line.key === "string" ? line.key : "";
    if (line.type === "started") {
      const op = z.safeParse(OpName, line.op);
      if (!op.success) continue;
      const identity = { key, op: op.data, argsHash: hashOfLine(line), harmless: isHarmlessLine(line) };
      entries.set(key, { ...identity, turnId, log, state: { at: "again" } });
    } else if (line.type === "result") {
      const state = { at: "done", seq: line.seq } as const;
      const entry = entries.get(key);
      if (entry) entry.state = state;
      // The line of its start was damaged. Whatever the call was, it does not run again.
      else {
        // A call that gave way to a message from the person never started. Its result line names its op.
        const op = z.safeParse(OpName, line.op).data ?? "exec";
        const argsHash = typeof line.argsHash === "string" ? line.argsHash : "";
        entries.set(key, { key, op, argsHash, harmless: false, turnId, log, state });
      }
    }
  }
  const all = [...entries.values()];
  return { entries: all, unknown: all.filter(({ state, harmless }) => state.at === "again" && !harmless) };
}

/** How much of a call's output its result repeats. The rest is in the journal. */
const maxOutputChars = 4_000;

/** The permanent result of an unknown call, with the end of the output that `lines` contain. */
export function unknownResult(key: string, lines: readonly StoredLine[]): LineDraft {
  const output = lines
    .map((line) => (line.type === "output" && line.key === key ? String(line.text) : ""))
    .join("")
    .slice(-maxOutputChars);
  const message =
    "The sandbox server died while this ran, so it is not known what it did. Look before doing it again.";
  return {
    type: "result",
    key,
    ok: false,
    error: {
      code: "outcome_unknown",
      message,
      retryable: false,
      ...(output === "" ? {} : { details: { output } }),
    },
    replayed: false,
    ms: 0,
  };
}
