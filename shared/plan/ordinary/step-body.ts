// Reads the lines below a step of a model's plan: actions, conditions, its check. Code that does not belong to a check
// is returned.
import { OnFail, type StepInput } from "../plan-file.ts";
import { indentOf } from "../plan-lines.ts";
import { commandIn, commandsOfCode } from "./commands.ts";
import { plainTitle, type WrittenLine } from "./lines.ts";

const labels: readonly [LabelKind, RegExp][] = [
  [
    "check",
    /^(checks?|checkpoints?|verify|(automated )?verification|validate|validation|tests?|how to verify|verify with|check with|done when|acceptance( criteria)?|success criteria)$/,
  ],
  [
    "after",
    /^(after|post-?conditions?|expected( result| outcome| output)?|outcome|result|manual verification)$/,
  ],
  ["before", /^(before|pre-?conditions?|prerequisites?|requires|depends on|dependencies)$/],
  ["run", /^run$/],
  ["fails", /^(on[ _-]?fail(ure)?|if (it|this) fails)$/],
  ["action", /^(actions?|details|changes|tasks|sub-?tasks|sub-?steps|what( to do)?|do|how)$/],
];
type LabelKind = "action" | "before" | "after" | "check" | "run" | "fails";

const labelled = /^(?:\*\*|__)?([A-Za-z][A-Za-z _-]{1,24}?)(?:\*\*|__)?\s*:(?:\*\*|__)?(?:\s+(.*))?$/;

export interface StepBody {
  step: StepInput;
  /** The lines of code blocks that do not belong to a check. */
  code: string[];
}

/**
 * `title`: the text of the step's own line; `wraps`: it may continue on the next line. `lines`: the lines below, up to
 * the next step.
 */
export function readStep(title: string, lines: readonly WrittenLine[], wraps: boolean): StepBody {
  const reader = new StepReader(title, wraps);
  for (const line of lines) reader.take(line);
  return reader.close();
}

class StepReader {
  readonly #actions: string[] = [];
  readonly #before: string[] = [];
  readonly #after: string[] = [];
  readonly #checks: string[] = [];
  readonly #code: string[] = [];
  /** The command that the previous line says is run. */
  #ran: string | undefined;
  #onFail: OnFail | undefined;
  #description: string;
  readonly #id: string | undefined;
  readonly #wraps: boolean;
  /** The label whose entries are indented below it. */
  #label: { kind: LabelKind; indent: number } | undefined;
  #block: string[] = [];
  /** Which text the next line may continue. */
  #last: "title" | "text" | undefined = "title";

  constructor(title: string, wraps: boolean) {
    const id = /^\[([A-Za-z][\w-]*)\]\s+(.*)$/.exec(title);
    this.#id = id?.[1];
    const words = id?.[2] ?? title;
    this.#wraps = wraps && !/^(\*\*|__).*(\*\*|__):?$/.test(words) && !/[:.]$/.test(words);
    const inline = /^(.*?\S)\s+(?:[-\u2013\u2014(]\s*)?(?:check|verify)\s*:\s*(`[^`]+`)\)?\.?$/i.exec(words);
    const command = inline ? commandIn(inline[2] ?? "") : undefined;
    if (command !== undefined) this.#checks.push(command);
    this.#description = plainTitle(command === undefined ? words : (inline?.[1] ?? words));
  }

  take(line: WrittenLine): void {
    if (line.kind !== "code") this.#endCode();
    switch (line.kind) {
      case "code":
        this.#block.push(line.raw);
        return;
      case "blank":
        this.#last = undefined;
        return;
      case "heading":
        this.#label = undefined;
        this.#entry({ ...line, text: `${plainTitle(line.text)}:`, indent: -1 });
        return;
      default:
        if (line.heads) return;
        if (line.row) {
          this.#put("action", [line.row.title, ...line.row.below].join("; "));
          return;
        }
        if (this.#label && line.indent <= this.#label.indent && line.kind === "item") this.#label = undefined;
        this.#entry(line);
    }
  }

  #entry(line: WrittenLine): void {
    const text = line.text.replace(/^(?:>\s*)+/, "");
    const match = labelled.exec(text);
    const name = match?.[1]?.trim().toLowerCase().replace(/\s+/g, " ") ?? "";
    const kind = labels.find(([, form]) => form.test(name))?.[0];
    if (kind !== undefined) {
      const value = (match?.[2] ?? "").trim();
      this.#label = value === "" ? { kind, indent: line.indent } : undefined;
      if (value !== "") this.#put(kind, value);
      this.#last = undefined;
      return;
    }
    if (line.kind === "text" && this.#last === "title" && this.#wraps) {
      this.#description = `${this.#description} ${text}`;
      return;
    }
    if (this.#description === "") this.#description = plainTitle(text);
    else if (line.kind === "text" && this.#last === "text" && this.#label === undefined)
      this.#actions.push(`${this.#actions.pop() ?? ""} ${text}`.trim());
    else this.#put(this.#label?.kind ?? "action", text);
    this.#last = this.#label === undefined ? "text" : undefined;
  }

  #put(kind: LabelKind, text: string): void {
    if (kind === "check") {
      const command = commandIn(text);
      if (command === undefined) this.#after.push(text);
      else this.#checks.push(command);
    } else if (kind === "before") this.#before.push(text);
    else if (kind === "after") this.#takeAfter(text);
    else if (kind === "run") this.#takeRun(text);
    else if (kind === "fails") this.#fails(text);
    else this.#actions.push(text);
  }

  #takeRun(text: string): void {
    this.#ran = commandIn(text);
    this.#actions.push(`Run: ${text}`);
  }

  /** `Run: x` with `Expected: PASS` below it is a check; a test that should fail at first is not. */
  #takeAfter(text: string): void {
    this.#after.push(text);
    if (this.#ran !== undefined && !/\b(?:fail|error)/i.test(text)) this.#checks.push(this.#ran);
    this.#ran = undefined;
  }

  #fails(text: string): void {
    const word = text.toLowerCase().match(/[a-z]+/)?.[0];
    this.#onFail = OnFail.def.values.find((choice) => choice === word);
    if (!this.#onFail) this.#actions.push(`If it fails: ${text}`);
  }

  #endCode(): void {
    const block = this.#block;
    if (block.length === 0) return;
    this.#block = [];
    this.#last = undefined;
    const commands = this.#label?.kind === "check" ? commandsOfCode(block) : undefined;
    if (commands) this.#checks.push(...commands);
    else {
      const indent = indentOf(block[0] ?? "");
      this.#code.push(
        ...block.map((line) => (line.slice(0, indent).trim() === "" ? line.slice(indent) : line)),
      );
    }
  }

  close(): StepBody {
    this.#endCode();
    const checks = [...new Set(this.#checks)];
    return {
      code: this.#code,
      step: {
        ...(this.#id === undefined ? {} : { id: this.#id }),
        description: this.#description,
        actions: this.#actions,
        preconditions: this.#before,
        postconditions: this.#after,
        checkpoint:
          checks.length === 0
            ? null
            : { command: checks.join(checks.some((one) => one.includes("\n")) ? "\n" : " && ") },
        ...(this.#onFail ? { onFail: this.#onFail } : {}),
      },
    };
  }
}
