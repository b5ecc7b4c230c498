// What a turn looks at before it begins: first what others changed, then in one read-only batch the context scan of a plan
// run (tree, git status, manifests) and, at the start of a session, the project's instructions.
import * as z from "zod/mini";
import { GitValue } from "../../shared/git.ts";
import type { EventMessage, Message } from "../../shared/message.ts";
import { isActivePlan, isUnderWay } from "../../shared/plan/is-active-plan.ts";
import { type CallResult, ListValue, ReadValue } from "../../shared/sandbox.ts";
import { isFinish } from "../../shared/session/history.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { byteLength, clip } from "../calls/clip.ts";
import type { KeyedCall } from "../calls/prepared.ts";
import { gapWithRemedy, sized, withNote } from "../calls/result-text.ts";
import type { Deps } from "../deps.ts";
import { limits } from "../limits.ts";
import { entriesText } from "../tools/list-files.ts";
import { instructionCalls, instructionMessage, needsInstructions, plainRows } from "./instructions.ts";
import { outsideChanges, tellsOfMove } from "./outside-changes.ts";

/** Files that name a project's tests and commands. */
const manifests = ["package.json", "pyproject.toml", "Cargo.toml", "go.mod", "Makefile"];
const manifestLines = 40;

/**
 * A plan run begins with a message or a replan in plan mode, while no plan is active; or with a message that may bring
 * another goal while one is under way.
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

/** After these a scan no longer shows the repository: a plan ran or ended, something was written, or HEAD is elsewhere. */
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
 * Hidden messages with what was found; none if nothing had to be looked at. The calls are keyed by the turn, so the sandbox
 * answers a repeated request with the same results and the opening stays the same.
 */
export async function scanWorkspace(deps: Deps, request: TurnRequest): Promise<Message[]> {
  const { turnId, mode } = request;
  const rules = needsInstructions(request.messages)
    ? instructionCalls((name) => `${turnId}/rules/${name}`)
    : [];
  const changes = await outsideChanges(deps, request);
  const scan = beginsPlanRun(request, changes) ? scanCalls((name) => `${turnId}/scan/${name}`) : [];
  const calls = [...rules, ...scan];
  if (calls.length === 0) return changes;
  const results = new Map<string, CallResult>();
  for await (const line of deps.sandbox.calls(request.sandboxId, { access: "readonly", calls })) {
    if (line.type === "result") results.set(line.key, line);
  }
  const of = (wanted: readonly KeyedCall[]) => wanted.map(({ key }) => results.get(key));
  return [
    ...changes,
    ...(rules.length > 0 ? instructionMessage(of(rules), { id: `${turnId}.rules`, mode }) : []),
    ...(scan.length > 0 ? scanMessage(scan, of(scan), { id: `${turnId}.scan`, mode }) : []),
  ];
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
