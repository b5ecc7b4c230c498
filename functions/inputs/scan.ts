// What a turn looks at before it begins: first what others changed, then, if needed, in one read-only batch: at the
// start of a session the project's instructions and the names of its commands, for a plan run the context scan (tree,
// git status, manifests), and the command that the person calls. The model is told once which files it has read were
// changed by others.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { GitValue } from "../../shared/git.ts";
import { hooksFile } from "../../shared/hooks-found.ts";
import { LookValue } from "../../shared/look.ts";
import type { EventMessage, Message } from "../../shared/message.ts";
import { isActivePlan, isUnderWay } from "../../shared/plan/is-active-plan.ts";
import { calledCommand } from "../../shared/project-command.ts";
import { type CallResult, ListValue, ReadValue } from "../../shared/sandbox.ts";
import { isFinish } from "../../shared/session/history.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import type { KeyedCall } from "../calls/prepared.ts";
import { byteLength, clip, gapWithRemedy, sized, withNote } from "../calls/result-text.ts";
import type { Deps } from "../deps.ts";
import * as limits from "../limits.ts";
import { entriesText } from "../tools/list-files.ts";
import { ModeParts, needsInstructions, plainRows, rulesMessage } from "./instructions.ts";

/**
 * Whether planning begins and no earlier scan still shows the repository. In plan mode a message or a replan begins it if
 * no plan is active; if a plan is under way, a message does, because it may bring another goal.
 */
function beginsPlanRun({ mode, input, plan, messages }: TurnRequest, changes: readonly Message[]): boolean {
  const speaks = input.type === "message" || (input.type === "replan" && !isActivePlan(plan));
  const free = !isActivePlan(plan) || isUnderWay(plan.status);
  if (mode !== "plan" || !speaks || !free) return false;
  const scanned = messages.findLastIndex(isScan);
  return scanned < 0 || [...messages.slice(scanned + 1), ...changes].some(makesStale);
}

function isScan(message: Message): boolean {
  return message.role === "event" && message.extra.event.source === "context_scan";
}

/** After these a scan no longer shows the repository: a plan ran or ended, something was written, or HEAD moved. */
function makesStale(message: Message): boolean {
  if (message.role === "event") return isFinish(message) || startsPlan(message) || tellsOfMove(message);
  const writes = message.role === "tool" && message.ok && message.mode !== "plan";
  return writes && ["edit_file", "write_file", "run_command"].includes(message.name);
}

function startsPlan(message: Message): boolean {
  if (message.role !== "event") return false;
  const { subkind, source, data } = message.extra.event;
  return source === "approval" || (subkind === "mode_switch" && data.approved === true);
}

/**
 * Hidden messages with the findings; none if there was nothing to look at. The calls are keyed by the turn, so the
 * sandbox answers a repeated request with the same results and the opening stays the same.
 */
export async function scanWorkspace(deps: Deps, request: TurnRequest): Promise<Message[]> {
  const { input, messages } = request;
  const changes = await outsideChanges(deps, request);
  const due = {
    begins: needsInstructions(messages),
    scans: beginsPlanRun(request, changes),
    called: input.type === "message" ? calledCommand(input.text) : undefined,
  };
  if (!due.begins && !due.scans && !due.called) return changes;
  return [...changes, ...(await firstLooks(deps, request, due))];
}

/** Files that name a project's tests and commands. */
const manifests = ["package.json", "pyproject.toml", "Cargo.toml", "go.mod", "Makefile"];
const manifestLines = 40;

const rulesFiles = ["AGENTS.md", "CLAUDE.md"];

interface Due {
  /** True if the session begins. */
  begins: boolean;
  /** True if the context scan is needed. */
  scans: boolean;
  /** The name that the message begins with, if it may be a command of the project, and the rest of the message. */
  called?: { name: string; rest: string } | undefined;
}

async function firstLooks(deps: Deps, request: TurnRequest, due: Due): Promise<Message[]> {
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

/** One hidden message made of the results of `instructionCalls`; none if the workspace has no instructions. */
function instructionMessage(
  results: readonly (CallResult | undefined)[],
  common: Pick<EventMessage, "id" | "mode">,
): EventMessage[] {
  const listed = results.at(-1);
  const nested = (listed?.ok ? z.parse(ListValue, listed.value).entries : [])
    .map(({ path }) => path)
    .filter((path) => path.includes("/"));
  const parts = new ModeParts(common.mode);
  return rulesMessage(results.slice(0, -1), nested, common, limits.instructionBytes, parts);
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

export const changesSource = "workspace_changes";

const ToldFiles = z.object({ files: LookValue.shape.files });
/** The notice of an undo tells the model what happened to these files. */
const UndoNotice = z.object({ takenBack: z.array(z.string()) });
/** `[PATH @v3 lines 1-20, 30 of 50]`, `[PATH @v3]`, `[PATH @v3] +1 -2`: what every tool that shows or changes a file begins with. */
const header = /^\[(.+) @(v\d+)(?: lines \d[\d, -]* of \d+)?\](?: \+\d+ -\d+)?$/gm;
const gone = /^(.+) is gone$/gm;
const showing = new Set(["read_file", "search_files", "edit_file", "write_file"]);

/** The versions of files that the model saw last, according to the history, in the order in which it saw them. */
export function seenVersions(messages: readonly Message[]): Map<string, string> {
  const seen = new Map<string, string>();
  const see = (path: string, version: string | null) => {
    seen.delete(path);
    if (version !== null) seen.set(path, version);
  };
  for (const message of messages) {
    if (message.role === "tool" && message.ok && showing.has(message.name)) {
      for (const [, path = "", version = ""] of message.content.matchAll(header)) see(path, version);
      for (const [, path = ""] of message.content.matchAll(gone)) see(path, null);
    } else if (message.role === "event" && message.extra.event.source === changesSource) {
      const told = z.safeParse(ToldFiles, message.extra.event.data);
      for (const { path, version } of told.success ? told.data.files : []) see(path, version);
    } else if (message.role === "event") {
      const undone = z.safeParse(UndoNotice, message.extra.event.data);
      for (const path of undone.success ? undone.data.takenBack : []) see(path, null);
    }
  }
  return seen;
}

/**
 * A hidden message with the changes, or none. The key of the `look` call contains the turn's id and the number of
 * messages: a repeated request gets the same result, but one that was refused for its old history looks again when it
 * comes with a newer one.
 */
export async function outsideChanges(deps: Deps, request: TurnRequest): Promise<EventMessage[]> {
  const { turnId, mode, messages, input, sandboxId } = request;
  if (input.type === "rewind" || !messages.some(({ role }) => role === "assistant")) return [];
  const known = [...seenVersions(messages)].slice(-limits.lookedAtFiles);
  const args = { files: known.map(([path, version]) => ({ path, version })) };
  const calls = [{ key: `${turnId}/look${messages.length}`, op: "look" as const, args }];
  let result: CallResult | undefined;
  try {
    for await (const line of deps.sandbox.calls(sandboxId, { access: "readonly", calls }))
      if (line.type === "result") result = line;
  } catch (error) {
    // An older sandbox server does not know the op.
    if (error instanceof HandrailError && error.code === "invalid_request") return [];
    throw error;
  }
  const looked = z.safeParse(LookValue, result?.value);
  if (!result?.ok || !looked.success) return [];
  const content = changesText(looked.data);
  if (content === "") return [];
  const event = { subkind: "system_notice", source: changesSource, data: { ...looked.data } };
  return [{ id: `${turnId}.changes`, role: "event", content, createdAt: result.at, mode, extra: { event } }];
}

function changesText({ files, moved }: LookValue): string {
  const lines: string[] = [];
  if (files.length > 0) {
    const names = files.map(({ path, version }) =>
      version === null ? `${path} (gone)` : `${path} (now @${version})`,
    );
    lines.push(
      `Changed since you last saw them, by a command, the person or another session: ${names.join(", ")}. Read again what you build on.`,
    );
  }
  if (moved) {
    const { from, to } = moved;
    const on = ({ branch }: LookValueHead) =>
      branch === null ? "on no branch" : `on ${JSON.stringify(branch)}`;
    // The commits' subjects are left out: anybody may have written them.
    const [was, is] = [from, to].map(({ commit }) => commit.split(" ", 1)[0]);
    lines.push(
      `HEAD was moved, not by you: from ${was} (${on(from)}) to ${is} (${on(to)}). What you know of the repository may be older than that.`,
    );
  }
  return lines.join("\n");
}

type LookValueHead = NonNullable<LookValue["moved"]>["to"];

/** Whether `message` reports that HEAD was moved. */
export function tellsOfMove(message: Message): boolean {
  return (
    message.role === "event" &&
    message.extra.event.source === changesSource &&
    message.extra.event.data.moved !== undefined
  );
}
