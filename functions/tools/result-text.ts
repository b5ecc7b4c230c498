// What the model reads of a sandbox result: sized for it, never silently cut. Pure functions of the recorded result.
import * as z from "zod/mini";
import type { RefusedHost } from "../../shared/network.ts";
import {
  type CallResult,
  ChangeValue,
  ExecValue,
  GitValue,
  ListValue,
  type OpName,
  ReadValue,
  SearchValue,
  SnapshotValue,
} from "../../shared/sandbox.ts";
import { limits } from "../limits.ts";
import { clip, type Gap } from "./clip.ts";

export interface ResultText {
  ok: boolean;
  /** At most `limits.maxToolContentBytes` of UTF-8. */
  text: string;
  /** Facts for the UI's one-line card. */
  facts?: Record<string, unknown>;
}

type Made = { text: string; facts: Record<string, unknown> };

const maxBytes = limits.maxToolContentBytes;

/** `result` of an `op` as text for the model and facts for the person. */
export function resultText(op: OpName, result: CallResult): ResultText {
  if (!result.ok) {
    const code = result.error?.code ?? "internal";
    const message = result.error?.message ?? "the call failed";
    const text = message.startsWith("REJECTED") ? message : `error: ${message}`;
    return { ok: false, text: clip(text, maxBytes), facts: { code, ms: result.ms } };
  }
  const { text, facts } = valueText(op, result.value);
  return { ok: true, text, facts: { ...facts, ms: result.ms } };
}

function valueText(op: OpName, value: unknown): Made {
  switch (op) {
    case "read":
      return readText(z.parse(ReadValue, value));
    case "list":
      return listText(z.parse(ListValue, value));
    case "search":
      return searchText(z.parse(SearchValue, value));
    case "change":
      return changeText(z.parse(ChangeValue, value));
    case "exec": {
      const exec = z.parse(ExecValue, value);
      return { text: execText(exec), facts: execFacts(exec) };
    }
    case "git": {
      const { exitCode, stdout, stderr, truncated } = z.parse(GitValue, value);
      const text = withNote(stdout || stderr, truncated, "more: name a path or a limit");
      return { text: clip(text, maxBytes, named("narrow it with paths or a limit")), facts: { exitCode } };
    }
    case "snapshot":
    case "restore":
      return { text: z.parse(SnapshotValue, value).snapshot, facts: {} };
  }
}

function readText({ path, version, start, end, total, rows, truncated }: ReadValue): Made {
  const header = `[${path} @${version} lines ${start}-${end} of ${total}]`;
  const text = withNote(
    `${header}\n${rows}`,
    truncated && end < total,
    `lines ${end + 1}-${total} not shown: read on with start=${end + 1}`,
  );
  // The header is the first line, so the row of line `start` has index 1.
  const missing = ({ from, lines }: Gap): string => {
    const first = start + from - 1;
    const last = first + lines - 1;
    return `[… lines ${first}-${last} not shown: read them with start=${first}, end=${last} …]`;
  };
  return { text: clip(text, maxBytes, missing), facts: { path, start, end, total } };
}

function listText({ entries, truncated }: ListValue): Made {
  const rows = entries.map((entry) =>
    entry.type === "dir" ? `${entry.path}/` : `${entry.path} ${entry.size}`,
  );
  const text = withNote(
    rows.join("\n") || "(empty)",
    truncated,
    "more entries: narrow with path, glob or depth",
  );
  return {
    text: clip(text, maxBytes, named("narrow with path, glob or depth")),
    facts: { entries: entries.length },
  };
}

function searchText({ matches, truncated }: SearchValue): Made {
  const blocks = matches.map((match) => `[${match.path} @${match.version}]\n${match.rows}`);
  const text = withNote(
    blocks.join("\n") || "no matches",
    truncated,
    "more matches: narrow the pattern or the glob",
  );
  return {
    text: clip(text, maxBytes, named("narrow the pattern or the glob")),
    facts: { files: matches.length },
  };
}

function changeText({ files }: ChangeValue): Made {
  const blocks = files.map((file) => {
    const now =
      file.version === null
        ? `${file.path} is gone`
        : `[${file.path} @${file.version}] +${file.added} -${file.removed}`;
    return [now, ...file.warnings.map((warning) => `warning: ${warning}`), file.rows]
      .filter((line) => line !== "")
      .join("\n");
  });
  const facts = files.map(({ path, added, removed, diff }) => ({
    path,
    added,
    removed,
    diff: clip(diff, limits.maxFactDiffBytes),
  }));
  return {
    text: clip(blocks.join("\n"), maxBytes, named("read the file for them")),
    facts: { files: facts },
  };
}

/** Exit, then output: what a model needs to go on. At most `limits.maxToolContentBytes`. */
export function execText(exec: ExecValue): string {
  const how = exec.timedOut ? "timed out" : exec.signal ? `ended by ${exec.signal}` : `exit ${exec.exitCode}`;
  const parts = [how];
  if (exec.stdout !== "") parts.push(exec.stdout.trimEnd());
  if (exec.stderr !== "") parts.push(`[stderr]\n${exec.stderr.trimEnd()}`);
  if (exec.stdout === "" && exec.stderr === "") parts.push("(no output)");
  parts.push(...refusedText(exec.refusedHosts ?? []));
  const text = withNote(parts.join("\n"), exec.truncated, "the output was longer than what is kept of it");
  return clip(text, maxBytes, named("narrow it with head, tail or grep"));
}

function execFacts({ exitCode, timedOut, refusedHosts }: ExecValue): Record<string, unknown> {
  return { exitCode, timedOut, ...(refusedHosts ? { refusedHosts } : {}) };
}

/** Which hosts the command asked for in vain, and what can be done about it. */
function refusedText(refused: readonly RefusedHost[]): string[] {
  const named = (reason: RefusedHost["reason"]) =>
    refused.filter((one) => one.reason === reason).map(({ host }) => host);
  const lines: string[] = [];
  const closed = named("not_allowed");
  if (closed.length > 0)
    lines.push(
      `[network: refused ${closed.join(", ")}. Only package registries and hosts that the person allowed can be reached. The person can allow a host on the phone, on this call's card: if the work needs it, say which and why, and stop; do not look for a way around it]`,
    );
  const local = named("private_address");
  if (local.length > 0)
    lines.push(
      `[network: refused ${local.join(", ")}: addresses of this machine and its network are never reached, and cannot be allowed]`,
    );
  const others = named("another_name");
  if (others.length > 0)
    lines.push(
      `[network: refused a connection for ${others.join(", ")}: it has to be TLS, or plain HTTP, that names that very host]`,
    );
  return lines;
}

function withNote(text: string, applies: boolean, note: string): string {
  return applies ? `${text}\n[${note}]` : text;
}

/** Says how large a gap is and how to read what is missing. */
function named(remedy: string): (gap: Gap) => string {
  return ({ lines, bytes }) =>
    `[… ${bytes} bytes (${lines} ${lines === 1 ? "line" : "lines"}) cut: ${remedy} …]`;
}
