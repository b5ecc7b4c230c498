// The parts of an answer that look like calls, with their positions. near-calls.ts decides about them.
import { readLabelled, readNamed } from "./labelled-calls.ts";
import { readLoose } from "./loose-json.ts";
import { readPythonCall } from "./python-calls.ts";
import { namedCall, type WrittenCall, writtenCalls } from "./written-call.ts";
import { objectsIn, readElement } from "./xml-calls.ts";

/** Something in an answer that looks like calls. */
export interface Candidate {
  start: number;
  /** Offset after it. */
  end: number;
  calls: WrittenCall[];
  /** Its form is for calls and nothing else: a fence called `tool`, `<tool_call>`. */
  marked: boolean;
  /** The end of its fence or element is missing. */
  open: boolean;
  /** It is inside a fence. */
  fenced: boolean;
}

/** A fence that holds something else. */
export interface CodeBlock {
  start: number;
  end: number;
  language: string;
  body: string;
}

export interface Found {
  candidates: Candidate[];
  code: CodeBlock[];
}

/** Languages of fences that contained calls; the first ones contain nothing else. */
const callLanguages = /^(?:tool\w*|function\w*|action|call)$/i;
const dataLanguages = /^(?:|json[c5l]?|javascript|js|xml|html|python|py|text|txt|plaintext|yaml|yml)$/i;

const fence = /^([ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?)(`{3,}|~{3,})[ \t]*([\w-]*)[^`\n]*$/;
const oneLineFence = /^[ \t]*```[ \t]*(?:tool\w*|json)?[ \t]*(\{.*\})[ \t]*```[ \t]*$/;

export function findBlocks(text: string, known: ReadonlySet<string>): Found {
  const found: Found = { candidates: [], code: [] };
  for (let at = 0; at < text.length; ) {
    const lineEnd = endOfLine(text, at);
    const line = text.slice(at, lineEnd);
    const single = oneLineFence.exec(line)?.[1];
    const opening = fence.exec(line);
    if (/^[ \t]*>/.test(line)) at = lineEnd + 1;
    else if (single !== undefined) {
      const calls = objectsIn(single, known) ?? broken(single, 0)?.calls ?? [];
      if (calls.length > 0) found.candidates.push(candidate(at, lineEnd, calls, { fenced: true }));
      at = lineEnd + 1;
    } else if (opening !== null) at = readFence(text, { at, lineEnd, opening }, found, known);
    else at = readLine(text, { at, lineEnd, line }, found, known);
  }
  return found;
}

function candidate(
  start: number,
  end: number,
  calls: WrittenCall[],
  { marked = false, open = false, fenced = false }: Partial<Candidate>,
): Candidate {
  return { start, end, calls, marked, open, fenced };
}

/** Reads one fence, and returns where the text continues. */
function readFence(
  text: string,
  { at, lineEnd, opening }: { at: number; lineEnd: number; opening: RegExpExecArray },
  found: Found,
  known: ReadonlySet<string>,
): number {
  const [, , mark = "", language = ""] = opening;
  const closing = new RegExp(`^[ \\t]*${mark.charAt(0)}{${mark.length},}[ \\t]*$`, "m");
  const rest = text.slice(lineEnd + 1);
  const close = closing.exec(rest);
  const body = rest.slice(0, close?.index ?? rest.length);
  const end = close === null ? text.length : lineEnd + 1 + close.index + close[0].length;
  // More than three marks, or tildes, quote their content.
  const quotes = mark !== "```";
  const marked = callLanguages.test(language);
  const calls = quotes || !(marked || dataLanguages.test(language)) ? [] : callsIn(body, known, marked);
  if (calls.length > 0)
    found.candidates.push(candidate(at, end, calls, { marked, open: close === null, fenced: true }));
  else if (!quotes) found.code.push({ start: at, end, language, body });
  return end + 1;
}

/** A whole fence as calls: nothing else may be in it but comments, and words before the first object. */
function callsIn(body: string, known: ReadonlySet<string>, marked: boolean): WrittenCall[] {
  const text = body.trim();
  if (text === "") return [];
  const objects = text.search(/^[ \t]*[{[]/m);
  const before = text.slice(0, Math.max(0, objects)).split("\n");
  const remarks = before.every((line) => /^\s*(?:\/\/|#|\/\*|--|$)/.test(line) || marked);
  if (objects >= 0 && remarks) {
    const calls = objectsIn(text.slice(objects), known);
    if (calls !== undefined) return calls;
    const fault = broken(text, objects);
    if (fault !== undefined) return fault.calls;
  }
  const calls: WrittenCall[] = [];
  for (let at = 0; at < text.length; ) {
    at += /^[\s,;[\]]*/.exec(text.slice(at))?.[0].length ?? 0;
    if (at >= text.length) break;
    const one =
      readElement(text, at, known) ??
      readLabelled(text, at, known) ??
      readNamed(text, at, known) ??
      readPython(text, at, known);
    if (one === undefined) return [];
    calls.push(...one.calls);
    at = one.end;
  }
  return calls;
}

function readPython(
  text: string,
  at: number,
  known: ReadonlySet<string>,
): { calls: WrittenCall[]; end: number } | undefined {
  const call = readPythonCall(text, at);
  if (call === undefined) return undefined;
  const { name, fields, plain, end } = call;
  if (plain.length > 1 || (plain.length === 1 && Object.keys(fields).length > 0)) return undefined;
  // `open("a")` and `print(x)` are code.
  const meant = plain.length === 1 ? namedCall(name, plain[0], known) : namedCall(name, fields, known);
  if (meant?.kind !== "call" || !(known.has(name) || name.includes("_"))) return undefined;
  return { calls: [meant], end };
}

/** `[read_file(path="a"), run_command(command="b")]`, as Llama 3.2 writes it. */
function readPythonList(
  text: string,
  from: number,
  known: ReadonlySet<string>,
): { calls: WrittenCall[]; end: number } | undefined {
  if (!/^\[\s*[A-Za-z_]\w*\(/.test(text.slice(from, from + 80))) return undefined;
  const calls: WrittenCall[] = [];
  for (let at = from + 1; ; ) {
    at += /^[\s,]*/.exec(text.slice(at))?.[0].length ?? 0;
    if (text.charAt(at) === "]") return endsLine(text, at + 1) ? { calls, end: at + 1 } : undefined;
    const one = readPython(text, at, known);
    if (one === undefined) return undefined;
    calls.push(...one.calls);
    at = one.end;
  }
}

const beginsLikeCall =
  /^[{[\s]*["']?(?:tool|tool_name|name|function|action|tool_calls|function_call)["']?\s*:/;

/** An object that begins as a call and cannot be read. */
function broken(text: string, from: number): { calls: WrittenCall[] } | undefined {
  if (!beginsLikeCall.test(text.slice(from, from + 80))) return undefined;
  const read = readLoose(text, from);
  if (read.ok) return undefined;
  const name =
    /["']?(?:tool|tool_name|name|action)["']?\s*:\s*["']([\w.-]+)["']/.exec(text.slice(from))?.[1] ?? "";
  const near = `${text.slice(Math.max(from, read.at - 40), read.at)}⟦here⟧${text.slice(read.at, read.at + 40)}`;
  return {
    calls: [
      {
        kind: "unknown",
        tool: name,
        why: `the object cannot be read: ${read.why}, in ${near.replaceAll("\n", "\\n")}`,
      },
    ],
  };
}

/** Reads a line outside of fences, and returns where the text continues. */
function readLine(
  text: string,
  { at, lineEnd, line }: { at: number; lineEnd: number; line: string },
  found: Found,
  known: ReadonlySet<string>,
): number {
  const next = lineEnd + 1;
  const indent = /^(?:[ ]{0,3}(?:(?:[-*+]|\d+[.)])[ \t]+)?)`?/.exec(line)?.[0] ?? "";
  const start = at + indent.length;
  const inCode = indent.endsWith("`");
  if (/^ {4}|^\t/.test(line)) return next;
  const first = text.charAt(start);
  if (first === "{" || (first === "[" && /^\[\s*\{/.test(text.slice(start, start + 40)))) {
    const read = readLoose(text, start);
    const calls = read.ok ? writtenCalls(read.value, known) : broken(text, start)?.calls;
    if (calls === undefined || calls.length === 0)
      return read.ok ? Math.max(next, endOfLine(text, read.end) + 1) : next;
    const end = read.ok ? read.end : text.length;
    const tail = /^[ \t]*[`}\],;]*[ \t]*(?=\n|$|[{<])/.exec(text.slice(end));
    // Words on the same line: the object is talked about.
    if (tail === null) return next;
    found.candidates.push(candidate(at, end + tail[0].length, calls, {}));
    return end + tail[0].length + (text.charAt(end + tail[0].length) === "\n" ? 1 : 0);
  }
  const one = inCode
    ? undefined
    : (readPythonList(text, start, known) ??
      readElement(text, start, known) ??
      readLabelled(text, start, known) ??
      afterLabel(text, start, known) ??
      readNamed(text, start, known) ??
      wholeLine(text, start, readPython(text, start, known)));
  if (one !== undefined) {
    const marked = /^<(?:tool_calls?|function_calls?|tools|tool_use|invoke)\b/.test(
      text.slice(start, start + 20),
    );
    found.candidates.push(candidate(at, one.end, one.calls, { marked, open: "open" in one }));
    return endsLine(text, one.end) ? endOfLine(text, one.end) + 1 : one.end;
  }
  const within = inLine(line);
  if (within > 0) {
    const element = readElement(text, at + within, known);
    if (element !== undefined) {
      found.candidates.push(
        candidate(at + within, element.end, element.calls, { marked: true, open: element.open ?? false }),
      );
      return endsLine(text, element.end) ? endOfLine(text, element.end) + 1 : element.end;
    }
  }
  return next;
}

/** Where an element for calls begins inside of a line, outside of backticks; -1 if none does. */
function inLine(line: string): number {
  const at = line.search(/<(?:tool_calls?|function_calls?|tools|tool_use)>/);
  return at > 0 && (line.slice(0, at).split("`").length - 1) % 2 === 0 ? at : -1;
}

/** `Tool call: {…}` */
function afterLabel(
  text: string,
  start: number,
  known: ReadonlySet<string>,
): { calls: WrittenCall[]; end: number } | undefined {
  const label =
    /^(?:\*\*)?(?:Tool|Action|Function|Tool call|Function call|Call|Output|Response|Answer|JSON)(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*(?=[{[])/i.exec(
      text.slice(start, start + 60),
    )?.[0];
  if (label === undefined) return undefined;
  const read = readLoose(text, start + label.length);
  const calls = read.ok ? writtenCalls(read.value, known) : [];
  return read.ok && calls.length > 0 && endsLine(text, read.end) ? { calls, end: read.end } : undefined;
}

function wholeLine<T extends { end: number }>(
  text: string,
  _start: number,
  one: T | undefined,
): T | undefined {
  return one !== undefined && endsLine(text, one.end) ? one : undefined;
}

function endsLine(text: string, at: number): boolean {
  return text.slice(at, endOfLine(text, at)).trim() === "";
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
