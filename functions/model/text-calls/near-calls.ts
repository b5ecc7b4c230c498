// Whether what looks like calls in an answer is meant as calls. The rule, in its order:
//  1. Quotes (`>`, tildes, four backticks, indented by four), code in other fences and objects within a sentence are text.
//  2. All of it names tools here, by their names or by those of aliases.ts, with no stand-in such as `path/to/file`.
//  3. It ends the answer: after it come at most invented results, or a short sentence about what comes next.
//  4. What leads up to it is nothing, or words of intent ("I will read …"); a form that is for calls alone needs none.
//     Words that announce an example, a format or what somebody else sends make it text.
//  5. A fence or an element without its end calls only what reads.
//  6. With native calls it is not what a result says, line by line: a model that shows a file shows what looks like calls in it.
// Whatever fails one of these rules is not run. unread.ts decides whether the model is told.
// Marks of chat templates (call-formats.ts) and our own fences are read before, in text-call-reader.ts. Rule 1 holds there too,
// and a mark is also text after words that announce an example with a colon, or in a sentence that continues after it.
import { isRecord } from "../../../shared/is-record.ts";
import type { AssembledCall } from "../call-assembly.ts";
import { stringOrEmpty } from "../json-value.ts";
import { examples, lastWords, leadsToExample } from "./example-words.ts";
import { type Candidate, type Found, findBlocks } from "./found-blocks.ts";
import type { ShownCall } from "./right-form.ts";
import { type MeantCall, readers, type WrittenCall } from "./written-call.ts";

/** What looks like a call and is not run. */
export interface UnreadCalls {
  kind: "unread";
  /** For the model. */
  why: string;
  /** The tool, as far as it says. */
  tool: string;
  /** The first call as it would be run; absent if it seems to be an example, or would run a command. */
  own: ShownCall | undefined;
  found: Found;
  quoted: boolean;
  /** There are no words beside it. */
  alone: boolean;
}

export type NearCalls =
  | { kind: "text"; found: Found }
  | { kind: "calls"; text: string; calls: AssembledCall[] }
  | { kind: "ends"; text: string }
  | UnreadCalls;

export type CallForm = "native" | "text";

/** Words of somebody who is about to do it. */
const intents =
  /\b(I(?:'ll| will|'m going to| am going to| need to| have to| should| must| want to| can| would like to)|let me|let's|we(?:'ll| will| need to)|now|next|first|then|to (?:do|fix|change|find|see|read|check|begin|start|understand)\b|start(?:ing)?|begin(?:ning)?|calling|reading|opening|checking|looking|searching|running|editing|creating|writing|fixing|updating|replacing|adding|removing|listing|using the|here(?:'s| is) (?:the|my) (?:tool )?(?:call|edit|change|command|fix)|sure|okay|ok|certainly|of course|thought|plan)\b/i;
const standIns =
  /^(?:\/?path\/to\b|<[^>]*>$|\.{3}$|…$|your[_ -]|\$\{?\w+\}?$|\{\{|example\.(?:txt|js|py|ts)$|file(?:name)?$|string$)/i;
const inventions =
  /^\s*(?:Observation|Result|Output|\[TOOL_RESULT|<tool_response|<\/?(?:tool|function|s>)|<\|)[\s\S]*$/i;
const whatComesNext =
  /^(?:this|that|it|after|once|when|then|I(?:'ll| will)|let me|let's|now|next|please|wait\w*|the (?:result|output|file|content|command|edit)|we)\b/i;

/** "This will show me the file": an announcement of the expected result. */
const outlook =
  /^(?:this|that|it) (?:will|should)\b|^(?:then |after (?:that|this),? |next,? |now )?I(?:'ll| will)\b/i;

/** `results`: what tools have answered so far. */
export function nearCalls(
  answer: string,
  known: ReadonlySet<string>,
  form: CallForm,
  results: readonly string[] = [],
): NearCalls {
  const all = findBlocks(answer, known);
  const text = withoutInvented(answer, all);
  const found = text === answer ? all : findBlocks(text, known);
  const { candidates } = found;
  const [last] = candidates.slice(-1);
  if (last === undefined) return { kind: "text", found };
  const [first = last] = candidates;
  const lead = text.slice(0, first.start).trim();
  const gaps = candidates.slice(1).map((one, index) => text.slice(candidates[index]?.end, one.start).trim());
  const tail = text.slice(last.end).replace(inventions, "").trim();
  const calls = candidates.flatMap((one) => one.calls);
  const standIn = calls.some((call) => call.kind === "call" && hasStandIn(call));
  const quoted = standIn || leadsToExample(lead) || (examples.test(tail) && !outlook.test(tail));
  const unread = (why: string): NearCalls => ({
    ...{ kind: "unread", why, tool: toolOf(calls), found, quoted },
    own: quoted ? undefined : ownOf(calls),
    alone: lead === "" && tail === "",
  });
  const unknown = calls.find((call) => call.kind === "unknown");
  if (unknown !== undefined) return unread(whyUnknown(unknown));
  if (standIn) return unread("it has a placeholder where a real value belongs");
  if (quoted || gaps.some((gap) => examples.test(gap)))
    return unread("the words around it make it look like an example. Write the call without such words");
  if (tail !== "" && !(tail.length <= 240 && whatComesNext.test(tail)))
    return unread("words follow it: a call comes last in an answer");
  const marked = candidates.every((one) => one.marked);
  if (lead !== "" && !marked && !intents.test(lastWords(lead)))
    return unread("it is not clear whether it is meant as a call");
  if (gaps.some((gap) => gap.length > 240)) return unread("much else is said between the calls");
  if (form === "native" && !isOwn(text, calls, lead, tail))
    return unread("calls are made as tool calls, not as text");
  if (form === "native" && candidates.some(({ start, end }) => isRepeated(text.slice(start, end), results)))
    return unread("a result says the same");
  const open = candidates.find((one) => one.open && !readsOnly(one));
  if (open !== undefined) return unread("its end is missing: the fence, or the element, was not closed");
  return taken([lead, ...gaps].filter((part) => part !== "").join("\n\n"), calls);
}

function taken(text: string, calls: readonly WrittenCall[]): NearCalls {
  const made = calls.flatMap((call): AssembledCall[] =>
    call.kind === "call" ? [{ id: "", name: call.tool, arguments: JSON.stringify(call.args) }] : [],
  );
  const said = calls.flatMap((call) => (call.kind === "ends" ? [call.text] : []));
  const all = [text, ...said].filter((part) => part !== "").join("\n\n");
  return made.length > 0 ? { kind: "calls", text: all, calls: made } : { kind: "ends", text: all };
}

/** With native calls, only an answer that is nothing but calls under our own names. */
function isOwn(text: string, calls: readonly WrittenCall[], lead: string, tail: string): boolean {
  return (
    tail === "" &&
    lead.length <= 200 &&
    calls.every((call) => call.kind === "call" && text.includes(call.tool))
  );
}

/** Whether each line that says something is in one of `results`, where lines may have numbers in front of them. */
function isRepeated(written: string, results: readonly string[]): boolean {
  const lines = written
    .split("\n")
    .map((line) => line.replaceAll("`", "").trim())
    // Short lines prove nothing: brackets, fences and tags are in every call.
    .filter((line) => line.length >= 12);
  return lines.length > 0 && results.some((result) => lines.every((line) => result.includes(line)));
}

function readsOnly({ calls }: Candidate): boolean {
  return calls.every((call) => call.kind === "call" && readers.has(call.tool));
}

function hasStandIn({ args }: MeantCall): boolean {
  const { edits } = args;
  const dots = Array.isArray(edits) && edits.some((edit) => isRecord(edit) && isDots(edit.new ?? edit.lines));
  return (
    dots ||
    ["path", "command", "pattern", "content"].some((key) => standIns.test(stringOrEmpty(args[key]).trim()))
  );
}

function isDots(written: unknown): boolean {
  const text = Array.isArray(written) ? written.join("\n") : stringOrEmpty(written);
  return /^(?:\.{3}|…)$/.test(text.trim());
}

/** A model that writes the result of its call itself makes up what follows too. https://arxiv.org/abs/2210.03629 has the form. */
function withoutInvented(text: string, { candidates: [first] }: Found): string {
  if (first === undefined) return text;
  const result = /^[ \t]*(?:Observation\b[^\n:]{0,20}:|\[TOOL_RESULT\b|<tool_response>)/m;
  const at = text.slice(first.end).search(result);
  return at < 0 ? text : text.slice(0, first.end + at);
}

function ownOf(calls: readonly WrittenCall[]): ShownCall | undefined {
  const [first] = calls;
  const own = first?.kind === "call" ? first : first?.kind === "unknown" ? first.own : undefined;
  return own && own.tool !== "run_command" ? { tool: own.tool, args: own.args } : undefined;
}

function toolOf(calls: readonly WrittenCall[]): string {
  return calls.map((call) => (call.kind === "ends" ? "" : call.tool)).find((tool) => tool !== "") ?? "";
}

function whyUnknown({ tool, why }: Extract<WrittenCall, { kind: "unknown" }>): string {
  if (why !== "") return tool === "" ? why : `\`${tool}\`: ${why}`;
  return tool === "" ? "it names no tool" : `there is no tool \`${tool}\``;
}
