// What a model is told about an answer that ends its work although more seems to be meant: calls that were not run,
// changes that were only shown or claimed. The words are for the person too.
import { parseRecord } from "../json-value.ts";
import type { CodeBlock } from "./found-blocks.ts";
import { type CallForm, nearCalls } from "./near-calls.ts";
import { type ShownCall, sampleCall, shownEdit } from "./right-form.ts";

export interface AnswerFacts {
  form: CallForm;
  /** The tools that are offered now. */
  offered: readonly string[];
  known: ReadonlySet<string>;
  /** The turn has changed a file or run a command already, and the last such call was not refused. */
  acted: boolean;
  /** The path of the turn's last change, if it was refused. */
  refused?: string | undefined;
  /** No tool may write in this mode. */
  planning: boolean;
  /** The answer made other calls, which were run. */
  beside: boolean;
  /** How many such messages the model has got in this turn. */
  told: number;
}

/** The message to the model; undefined if the answer contains no unread call. */
export function unreadAnswer(text: string, facts: AnswerFacts): string | undefined {
  const { form, known, beside, told } = facts;
  const near = nearCalls(text, known, form);
  if (near.kind === "unread") {
    // With native calls a model that talks about calls is believed; in text it is asked once.
    if (near.quoted && (form === "native" || told > 0)) return undefined;
    if (form === "native" && !near.alone) return undefined;
    const why = `what looks like a call was not read: ${near.why}`;
    return words(why, { tool: near.tool, own: near.own }, facts);
  }
  if (near.kind === "calls" && beside) {
    const [{ name, arguments: args } = { name: "", arguments: "" }] = near.calls;
    const why = "besides the calls that were run, it contains others in a different form";
    return words(why, { tool: name, own: { tool: name, args: parseRecord(args) ?? {} } }, facts);
  }
  if (form === "native" || beside || near.kind !== "text") return undefined;
  // After a change the last words may well show it: then it is asked once.
  if (facts.planning || (facts.acted && told > 0)) return undefined;
  const shown = onlyShown(text, near.found.code, facts);
  if (shown !== undefined) return words(shown.why, shown, facts);
  // The model is asked once; what it says then is for the person to read.
  if (facts.refused !== undefined && told === 0 && !admits.test(text))
    return `Your last change of ${facts.refused} was rejected, and nothing was written. Correct it, or say in plain words that it is not done.`;
  return undefined;
}

interface ShownInstead {
  why: string;
  tool: string;
  own?: ShownCall | undefined;
}

/** Words of somebody who says that it was not done. */
const admits = /\b(?:(?:not?|nothing|unable|cannot|\w+n't)\b|fail|reject|refuse)|\?\s*$/i;

/** What a model shows or says instead of doing it. */
function onlyShown(
  text: string,
  code: readonly CodeBlock[],
  { known, acted }: AnswerFacts,
): ShownInstead | undefined {
  const diff = code.find(({ language, body }) => isDiff(language, body));
  if (diff !== undefined)
    return {
      ...{ why: "a diff in an answer changes nothing", tool: "edit_file" },
      own: shownEdit(text, diff.body),
    };
  const last = code.at(-1);
  if (/^[ \t]*<{5,9} ?SEARCH/m.test(text))
    return {
      ...{ why: "a SEARCH/REPLACE block in an answer changes nothing", tool: "edit_file" },
      own: shownEdit(text, undefined),
    };
  if (!acted && claims.test(text))
    return { why: "it says that files were changed, and nothing was changed by it", tool: "edit_file" };
  if (last === undefined)
    return announces(text)
      ? { why: "it says what comes next, and calls nothing", tool: "read_file" }
      : undefined;
  if (/^(?:py(?:thon)?|js|javascript|)$/i.test(last.language) && toolInCode(last.body, known))
    return { why: "code in a fence is not run", tool: toolInCode(last.body, known) ?? "" };
  const ends = text.slice(last.end).trim().length <= 300;
  const meant = !acted || announces(text.slice(0, last.start));
  if (ends && meant && /^(?:ba|z|fi)?sh$|^shell|^console$|^cmd$|^powershell$/i.test(last.language))
    return {
      ...{ why: "commands in a fence are not run", tool: "run_command" },
      own: { tool: "run_command", args: { command: last.body.trim().slice(0, 500) } },
    };
  if (ends && namesFile(text.slice(0, last.start), last.body))
    return { why: "a file in a fence is not written", tool: "write_file" };
  return undefined;
}

/** A tool of ours that a few lines of code call. */
function toolInCode(body: string, known: ReadonlySet<string>): string | undefined {
  if (body.trim().split("\n").length > 10 || /^\s*(?:def|function|async function)\b/m.test(body))
    return undefined;
  return [...known].find((name) => body.includes(`${name}(`));
}

function isDiff(language: string, body: string): boolean {
  return (
    /^(?:diff|patch|udiff)$/i.test(language) ||
    /^(?:@@ |--- a?\/?\S+\n\+\+\+ |\*\*\* (?:Begin Patch|Update File))/m.test(body)
  );
}

const did =
  "(?:changed|updated|modified|edited|fixed|added|created|written|wrote|replaced|removed|renamed|implemented|refactored|saved|applied)\\b";
const claims = new RegExp(
  String.raw`\b(?:I(?:'ve| have)?(?: now| just| also| successfully)?|(?:has|have) (?:now )?been|(?:is|are) now)\s+(?:successfully )?${did}|\b(?:file|code|function|change|fix|edit)s? (?:has|have|was|were) (?:been )?(?:successfully )?(?:${did}|made\b)`,
  "i",
);

/** "I'll wait for the file's content": it takes something for a call that was none. */
const waits = /\bwait(?:ing)? for (?:the|its) (?:\w+ ){0,2}(?:contents?|results?|output|file)\b/i;

/** The last sentence announces an action. https://github.com/sudo-tee/opencode.nvim/issues/352, XiaomiMiMo/MiMo-Code#578. */
function announces(text: string): boolean {
  const last =
    text
      .trim()
      .replace(/<[^>\n]{1,20}>$/, "")
      .trim()
      .split(/(?<=[.!?:])\s+|\n+/)
      .at(-1) ?? "";
  if (waits.test(last)) return true;
  return (
    /^(?:\W*(?:okay|ok|sure|first|next|now|then|so)\W+)*(?:I(?:'ll| will|'m going to| am going to)|let me|let's)\b/i.test(
      last,
    ) && !/\?$|\b(?:wait|know if|stop|leave|not|never|if you|once you|when you)\b/i.test(last)
  );
}

/** A path before a fence, or at its head, says that it is that file. Aider's whole-file form has it so: Aider-AI/aider#5486. */
function namesFile(before: string, body: string): boolean {
  const line = before.trimEnd().split("\n").at(-1) ?? "";
  const path = /[\w./-]+\.[A-Za-z]\w{0,5}\b/;
  const head = body.split("\n", 1)[0] ?? "";
  return (
    body.trim().split("\n").length >= 3 &&
    (path.test(line) ||
      /^\s*(?:\/\/|#|\/\*|<!--|--|;)\s*(?:file(?:name)?:\s*)?[\w./-]+\.[A-Za-z]\w{0,5}\s*(?:\*\/|-->)?\s*$/.test(
        head,
      ))
  );
}

/** `own`: what the model showed itself, as a call. */
function words(
  why: string,
  { tool, own }: { tool: string; own?: ShownCall | undefined },
  { form, offered, beside }: AnswerFacts,
): string {
  const head = beside ? "Part of this answer was not run" : "Nothing of this answer was run";
  const parts = [`${head}: ${why}.`, `The tools are: ${offered.join(", ")}.`];
  if (form === "native")
    return [...parts, "Call them as tools, not in text. If no call was meant, say so in plain words."].join(
      " ",
    );
  const isOwn = own !== undefined && offered.includes(own.tool);
  const like = /patch|edit|replac|modif|change/i.test(tool) ? "edit_file" : tool;
  const shown = offered.includes(like) ? like : (offered[0] ?? "read_file");
  const call = isOwn ? sampleCall(own.tool, own.args) : sampleCall(shown);
  const which = isOwn ? "What you wrote, as a call" : "For example";
  return `${parts.join(" ")} A call is a fence at the start of a line, the last thing in the answer. ${which}:\n${call}\nIf no call was meant, answer in plain words without such a form.`;
}
