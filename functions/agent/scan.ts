// The context scan at the start of a plan run: tree, git status, manifests, how tests run. One batch, read-only.
import type { EventMessage, Message } from "../../shared/message.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { estimateText } from "../context/estimate.ts";
import type { Deps } from "../deps.ts";
import { inForce } from "../plan/set-and-get.ts";
import { resultText } from "../tools/result-text.ts";

/** SPEC: the scan costs at most this many tokens. */
const maxScanTokens = 1_500;

const manifests = ["package.json", "pyproject.toml", "Cargo.toml", "go.mod", "Makefile", "AGENTS.md"];

/** A plan run begins where something is said or re-planned in plan mode and no plan is in force. */
function beginsPlanRun(request: TurnRequest): boolean {
  const speaks = request.input.type === "message" || request.input.type === "replan";
  return request.mode === "plan" && speaks && !inForce(request.plan) && !request.messages.some(isScan);
}

function isScan(message: Message): boolean {
  return message.role === "event" && message.extra.event.source === "context_scan";
}

/**
 * The hidden message of the scan, or nothing where no plan run begins. Its calls are keyed by the turn:
 * asked again, the sandbox gives the same results, so an opening is the same every time.
 */
export async function contextScan(deps: Deps, request: TurnRequest): Promise<Message[]> {
  if (!beginsPlanRun(request)) return [];
  const key = (name: string) => `${request.turnId}/scan/${name}`;
  const calls = [
    { key: key("tree"), op: "list" as const, args: { depth: 2, limit: 120 } },
    { key: key("git"), op: "git" as const, args: { verb: "status" } },
    ...manifests.map((path) => ({ key: key(path), op: "read" as const, args: { path, end: 40 } })),
  ];
  const results = new Map<string, CallResult>();
  for await (const line of deps.sandbox.calls(request.sandboxId, { access: "readonly", calls })) {
    if (line.type === "result") results.set(line.key, line);
  }
  const parts = calls.flatMap(({ key: callKey, op }) => {
    const result = results.get(callKey);
    if (!result?.ok) return [];
    const name = callKey.split("/").at(-1) ?? "";
    const { text } = resultText(op, result);
    return text.trim() === "" ? [] : [`${heading(name)}\n${text.trim()}`];
  });
  const content = parts.reduce((all, part) => {
    const left = maxScanTokens - estimateText(all) - 20;
    const cut = part.slice(0, Math.max(0, Math.floor(left * 3.5)));
    // Of a part that does not fit, a few words are worth nothing.
    if (cut.length < part.length && cut.length < 80) return all;
    return `${all}${all === "" ? "" : "\n\n"}${cut}${cut.length < part.length ? "\n[…]" : ""}`;
  }, "");
  if (content === "") return [];
  return [
    scanMessage(
      request,
      content,
      [...results.values()].reduce((latest, { at }) => Math.max(latest, at), 0),
    ),
  ];
}

function heading(name: string): string {
  if (name === "tree") return "Files to depth 2:";
  return name === "git" ? "git status:" : `${name}:`;
}

function scanMessage(request: TurnRequest, content: string, at: number): EventMessage {
  return {
    id: `${request.turnId}.scan`,
    role: "event",
    content: `Looked at the repository.\n\n${content}`,
    createdAt: at,
    mode: request.mode,
    extra: { event: { subkind: "system_notice", source: "context_scan", data: {} } },
  };
}
