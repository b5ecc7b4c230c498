// The state of a journal's calls after a restart: which are done, which may run again, which are unknown.
import * as z from "zod/mini";
import { OpName } from "../../shared/sandbox.ts";
import { type CallEntry, hashOfLine, isHarmlessLine } from "./call-entry.ts";
import type { JournalFile } from "./journal-file.ts";
import type { LineDraft, StoredLine } from "./journal-lines.ts";

/** `unknown`: started, without a result, and not harmless to run again. */
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
      // Its start was in a damaged line. Whatever it was, it is not run again.
      else {
        // A call that gave way to a message of the person never started; its result says what it was.
        const op = z.safeParse(OpName, line.op).data ?? "exec";
        const argsHash = typeof line.argsHash === "string" ? line.argsHash : "";
        entries.set(key, { key, op, argsHash, harmless: false, turnId, log, state });
      }
    }
  }
  const all = [...entries.values()];
  return { entries: all, unknown: all.filter(({ state, harmless }) => state.at === "again" && !harmless) };
}

/** The end of what a call had printed: the rest is in the journal. */
const maxOutputChars = 4_000;

/** The permanent result of such a call, with its output as far as `lines` have it. */
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
