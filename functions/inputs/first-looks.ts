// What a turn looks at where it is due, in one read-only batch: at the start of a session the project's instructions and the
// names of its commands, for a plan run the context scan (tree, git status, manifests), and a command that the person calls.
import * as z from "zod/mini";
import { GitValue } from "../../shared/git.ts";
import { hooksFile } from "../../shared/hooks.ts";
import type { EventMessage, Message } from "../../shared/message.ts";
import { type CallResult, ListValue, ReadValue } from "../../shared/sandbox.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { byteLength, clip } from "../calls/clip.ts";
import type { KeyedCall } from "../calls/prepared.ts";
import { gapWithRemedy, sized, withNote } from "../calls/result-text.ts";
import type { Deps } from "../deps.ts";
import { limits } from "../limits.ts";
import { entriesText } from "../tools/list-files.ts";
import { messageOf, plainRows } from "./instructions.ts";
import { ModeParts } from "./mode-parts.ts";

/** Files that name a project's tests and commands. */
const manifests = ["package.json", "pyproject.toml", "Cargo.toml", "go.mod", "Makefile"];
const manifestLines = 40;

const rulesFiles = ["AGENTS.md", "CLAUDE.md"];

interface Due {
  /** The session begins. */
  begins: boolean;
  /** A plan run begins. */
  scans: boolean;
  /** The message calls a command by its name, if there is one of that name. */
  called?: { name: string; rest: string } | undefined;
}

export async function firstLooks(deps: Deps, request: TurnRequest, due: Due): Promise<Message[]> {
  const { turnId, mode, sandboxId } = request;
  const { called } = due;
  const { calledCalls, calledMessage, commandsMessage, folderCalls, readingFrom } = await import(
    "./project-commands.ts"
  );
  const run = readingFrom(deps, sandboxId);
  const keyed = (kind: string) => (name: string) => `${turnId}/${kind}/${name}`;
  const rules = due.begins ? instructionCalls(keyed("rules")) : [];
  const folders = due.begins ? folderCalls(keyed("commands")) : [];
  const scan = due.scans ? scanCalls(keyed("scan")) : [];
  const asked = called ? calledCalls(called.name, keyed("called")) : [];
  const config = due.begins
    ? [{ key: keyed("hooks")("config"), op: "read" as const, args: { path: hooksFile } }]
    : [];
  const results = await run([...rules, ...folders, ...scan, ...asked, ...config]);
  const take = (calls: KeyedCall[]) => results.splice(0, calls.length);
  const [ofRules, ofFolders, ofScan, ofCalled] = [take(rules), take(folders), take(scan), take(asked)];
  const [ofHooks] = results;
  const common = (name: string) => ({ id: `${turnId}.${name}`, mode });
  return [
    ...(due.begins ? instructionMessage(ofRules, common("rules")) : []),
    ...(due.begins ? await commandsMessage(ofFolders, keyed("command"), run, common("commands")) : []),
    ...(ofHooks?.ok
      ? await (await import("../hooks/found-hooks.ts")).hooksAtBegin(ofHooks, common("hooks"))
      : []),
    ...(due.scans ? scanMessage(scan, ofScan, common("scan")) : []),
    ...(called ? calledMessage(called, ofCalled, common("called")) : []),
  ];
}

function instructionCalls(key: (name: string) => string): KeyedCall[] {
  const glob = `{${rulesFiles.join(",")}}`;
  return [
    ...rulesFiles.map((path) => ({ key: key(path), op: "read" as const, args: { path } })),
    { key: key("nested"), op: "list", args: { glob, limit: limits.nestedInstructions } },
  ];
}

/** One hidden message made of the results of `instructionCalls`; none where the workspace has no instructions. */
function instructionMessage(
  results: readonly (CallResult | undefined)[],
  common: Pick<EventMessage, "id" | "mode">,
): EventMessage[] {
  const listed = results.at(-1);
  const nested = (listed?.ok ? z.parse(ListValue, listed.value).entries : [])
    .map(({ path }) => path)
    .filter((path) => path.includes("/"));
  const parts = new ModeParts(common.mode);
  return messageOf(results.slice(0, -1), nested, common, limits.instructionBytes, parts);
}

function scanCalls(key: (name: string) => string): KeyedCall[] {
  return [
    { key: key("tree"), op: "list", args: { depth: 2, limit: 120 } },
    { key: key("git"), op: "git", args: { verb: "status" } },
    ...manifests.map((path) => ({
      key: key(path),
      op: "read" as const,
      args: { path, end: manifestLines },
    })),
  ];
}

function scanMessage(
  calls: readonly KeyedCall[],
  results: readonly (CallResult | undefined)[],
  common: Pick<EventMessage, "id" | "mode">,
): EventMessage[] {
  let content = "Looked at the repository.";
  let parts = 0;
  calls.forEach(({ key, op }, index) => {
    const result = results[index];
    const text = result?.ok ? partText(op, result) : "";
    const left = limits.scanBytes - byteLength(content) - 40;
    // Skip a part of which only a few words would fit.
    if (text === "" || left < 200) return;
    const share = op === "list" ? limits.scanTreeBytes : op === "git" ? limits.scanGitBytes : left;
    content += `\n\n${heading(key.split("/").at(-1) ?? "")}\n${clip(text, Math.min(left, share))}`;
    parts += 1;
  });
  if (parts === 0) return [];
  const createdAt = results.reduce((latest, result) => Math.max(latest, result?.at ?? 0), 0);
  const extra = { event: { subkind: "system_notice", source: "context_scan", data: {} } };
  return [{ ...common, role: "event", content, createdAt, extra }];
}

function partText(op: KeyedCall["op"], result: CallResult): string {
  if (op === "list") return entriesText(z.parse(ListValue, result.value)).text.trim();
  if (op === "git") return statusText(z.parse(GitValue, result.value)).trim();
  const { rows, end, total } = z.parse(ReadValue, result.value);
  const more = end < total ? `\n[… ${total - end} more lines]` : "";
  return `${plainRows(rows).trim()}${more}`;
}

function statusText({ stdout, stderr, truncated }: GitValue): string {
  const text = withNote(stdout || stderr, truncated, "more: name a path or a limit");
  return sized(text, gapWithRemedy("narrow it with paths or a limit"));
}

function heading(name: string): string {
  if (name === "tree") return "Files to depth 2:";
  return name === "git" ? "git status:" : `${name}:`;
}
