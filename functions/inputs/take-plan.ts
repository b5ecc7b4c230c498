// "Take this as the plan": a text that the person points at, or a Markdown file of the repository, becomes the plan that waits
// for their approval. No model is asked. Loaded when needed.
import * as z from "zod/mini";
import { HandrailError, invalidField } from "../../shared/errors.ts";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import { proposedText } from "../../shared/plan/written-plan.ts";
import { ReadValue } from "../../shared/sandbox.ts";
import type { TurnInput, TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import { handEdit, type Installation, install } from "../plan/installing.ts";
import { plainRows } from "./instructions.ts";

type TakePlan = Extract<TurnInput, { type: "take_plan" }>;

/** Throws `invalid_request` if a plan is under way or there is no text, and what reading the file throws. */
export async function takePlan(
  deps: Deps,
  request: TurnRequest,
  input: TakePlan,
  at: number,
): Promise<Installation> {
  const { plan, turnId, mode, messages } = request;
  if (isUnderWay(plan?.status))
    throw invalid("a plan is under way; finish or leave it first, then take another one");
  const { path } = input;
  const text = (path === undefined ? input.text : await readText(deps, request, path)) ?? "";
  if (text.trim() === "") throw invalid("there is no text to take as the plan; give `text` or a `path`");
  const name = path
    ?.split("/")
    .at(-1)
    ?.replace(/\.\w+$/, "");
  const goal = /^#+\s+(.+)$/m.exec(text)?.[1] ?? name ?? "";
  const made = proposedText(text, { plan: null, goal });
  // If the request also contains an edit by the person, that becomes a version of its own, before this one.
  const edited = plan && (await handEdit(plan, { turnId, now: at, mode }, messages));
  return install(edited?.plan ?? plan, made, { source: "person", origin: `${turnId}.taken`, at, mode });
}

async function readText(deps: Deps, { sandboxId, turnId }: TurnRequest, path: string): Promise<string> {
  const calls = [{ key: `${turnId}/take`, op: "read" as const, args: { path } }];
  for await (const line of deps.sandbox.calls(sandboxId, { access: "readonly", calls })) {
    if (line.type !== "result") continue;
    const read = z.safeParse(ReadValue, line.value);
    if (line.ok && read.success && !read.data.truncated) return plainRows(read.data.rows);
    throw invalid(line.error?.message ?? `${path} is too long for a plan`);
  }
  throw new HandrailError("sandbox_unreachable", "The sandbox server ended without a result. Try again.");
}

function invalid(problem: string): HandrailError {
  return invalidField("input", problem.replace(/\.$/, ""));
}
