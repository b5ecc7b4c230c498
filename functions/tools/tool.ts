// A tool is one file of this folder, listed in `tool-index.ts`: what the model is shown, which modes offer it, what it
// does, how the model reads its results, what compaction keeps. Its name also appears in `inputs`, `context` and
// `turn` (which results show or change files) and in tables of `model/text-calls` and `pwa/transcript`.
import * as z from "zod/mini";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import type { PendingCall, PreparedCall, SandboxCall, Waits } from "../calls/prepared.ts";
import { type ResultText, resultText, type ValueText } from "../calls/result-text.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { providerSchema } from "./provider-schema.ts";

/** The declaration of a tool. */
interface Description {
  name: string;
  description: string;
  /** What the model writes; the JSON schema that providers get is made of it. */
  schema: z.core.$ZodType;
  /** Shown instead of `schema`, which still says what is accepted. */
  shownSchema?: z.core.$ZodType;
  /** For models whose edits are set to `text`: shown instead. `schema` still says what is accepted. */
  shownAsText?: { description: string; schema: z.core.$ZodType };
  /** The modes that offer it. In plan mode nothing that writes. */
  modes: readonly Mode[];
  /** A turn may end with a call of it open: it asks the person, or can need a permission. */
  waits?: true;
  /** It changes nothing, so it still runs after an earlier call of the same answer failed. */
  reads?: true;
  /** Its results say all: no `[meta]` line follows them (PROTOCOL 6). */
  noMeta?: true;
  /** The commands that a call would run, for the question to the person. `args`: as the model wrote them. */
  commands?(args: unknown, plan: Plan | null): string[];
  /** Absent: results and long arguments are shortened when room is needed, and the digest does not mention the call. */
  trimming?: Trimmed;
}

/** What compaction may keep of a tool's calls and results. */
export type Trimmed =
  /** Facts about the plan, or decisions of the person: never shortened. `digest`: once dropped, their lines are listed there. */
  | { kept: true; digest?: "Decisions" }
  /** Once dropped, the digest names the calls by one argument, cut to `maxChars`. */
  | { digest: "Files changed" | "Files read" | "Commands run"; argument: string; maxChars: number };

interface ShownTool extends Omit<Description, "schema" | "shownSchema" | "shownAsText"> {
  /** JSON schema of the arguments. */
  parameters: Record<string, unknown>;
  shownAsText?: { description: string; parameters: Record<string, unknown> };
}

/** A tool that is one call of the sandbox. */
export interface SandboxTool extends ShownTool {
  kind: "sandbox";
  /** The sandbox call for a model's arguments, or what is wrong with them. */
  toCall(args: unknown): { ok: true; call: SandboxCall } | { ok: false; issues: readonly z.core.$ZodIssue[] };
  /** A recorded result as the model reads it, with facts for the person. Pure. */
  resultText(result: CallResult): ResultText;
}

/** A tool that the engine answers itself, perhaps with calls of the sandbox of its own. */
export interface EngineTool extends ShownTool {
  kind: "engine";
  /** The permission that a call would need now, if that can be told before anything else has run. Pure. */
  asks?(turn: ToolTurn, pending: PendingCall, args: unknown): Waits | undefined;
  /** Must not throw because of the model's arguments: such an error is returned as a failed outcome. */
  prepare(
    turn: ToolTurn,
    pending: PendingCall,
    args: unknown,
    message: CallMessage,
  ): PreparedCall | Promise<PreparedCall>;
}

export type Tool = SandboxTool | EngineTool;

/** The assistant message that a call belongs to. */
export interface CallMessage {
  id: string;
  text: string;
  /** Names of all its calls. */
  names: readonly string[];
}

/** `call` makes the sandbox call of parsed arguments; `text` says what the model reads of its `value`. */
export function sandboxTool<Args extends z.core.$ZodType, Value extends z.core.$ZodType>(
  tool: Description & {
    schema: Args;
    call(args: z.infer<Args>): SandboxCall;
    value: Value;
    text(value: z.infer<Value>): ValueText;
    /** What the model reads of the value of a call that was stopped while it ran. */
    cut?(value: z.infer<Value>): string[];
  },
): SandboxTool {
  const { call, value, text, cut, ...described } = tool;
  return {
    kind: "sandbox",
    ...shownTool(described),
    toCall(args) {
      const parsed = z.safeParse(tool.schema, args);
      if (parsed.success) return { ok: true, call: call(parsed.data) };
      return { ok: false, issues: parsed.error.issues };
    },
    resultText: (result) =>
      resultText(result, (from) => text(z.parse(value, from)), cut && ((from) => cut(z.parse(value, from)))),
  };
}

export function engineTool(tool: Description & Pick<EngineTool, "prepare" | "asks">): EngineTool {
  const { asks, prepare, ...described } = tool;
  return { kind: "engine", ...shownTool(described), prepare, ...(asks ? { asks } : {}) };
}

function shownTool({ schema, shownSchema, shownAsText, ...rest }: Description): ShownTool {
  return {
    ...rest,
    parameters: providerSchema(shownSchema ?? schema),
    ...(shownAsText
      ? {
          shownAsText: {
            description: shownAsText.description,
            parameters: providerSchema(shownAsText.schema),
          },
        }
      : {}),
  };
}
