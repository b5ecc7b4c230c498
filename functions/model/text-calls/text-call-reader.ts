// Finds tool calls that a model writes into its text while the text streams in, and takes them out of it.
import type { AssembledCall } from "../call-assembly.ts";
import type { CallDiagnostic } from "../repair.ts";
import { closingThought } from "../think-tags.ts";
import {
  brokenCall,
  callFormats,
  formatStarts,
  jsonInMarks,
  longestOpening,
  parseCalls,
  plainMarks,
} from "./call-formats.ts";
import { endsInString, type HeldFormat, holdFormat, maxQuotedMarks, nextMark } from "./closing-marks.ts";
import { parseFence } from "./fence-call.ts";

/** What may be shown as text, and the calls that were taken out of it. */
export interface Found {
  text: string;
  calls: AssembledCall[];
  diagnostics: CallDiagnostic[];
  /** Set where a line of the text is a closing reasoning tag and nothing else: how many of the calls came before it. */
  callsAbove: number | undefined;
}

/** Lines that are held back until it is known whether they are a call. */
type Held = { kind: "fence"; mark: string; text: string; body: string } | HeldFormat;

/** How results begin, in our form and in that of the models that write callFormats. */
const resultMarks = ["[TOOL_RESULT ", "<tool_response>"];

const fenceLine = /^(`{3,}|~{3,})[^`\n]*\n?$/;

/**
 * Reads two kinds of calls: fences at the start of a line whose object has exactly `tool` (known) and `args` (only with
 * `fences`), and the call formats of models that were trained on another form. Everything else stays text: other
 * fences, and what is indented, quoted or names no known tool. Text that was held back and is no call comes out unchanged.
 */
export class TextCallReader {
  #known: ReadonlySet<string>;
  #fences: boolean;
  /** The line so far. */
  #line = "";
  /** The line is text: the rest of it goes straight through. */
  #passing = false;
  #held: Held | undefined;
  /** The mark that closes a fence whose content is text. */
  #quote: string | undefined;
  /** Space at the end of the text so far: dropped before a call, kept before more text. */
  #space = "";
  #called = false;
  /** Something was said: a call that may only stand alone cannot begin any more. */
  #said = false;
  /** Text after a call that was not read yet. */
  #behind: string | undefined;
  /** A model that makes up results goes on talking about them. */
  #imagining = false;
  /** The text ended for want of tokens. */
  #cut = false;
  #found: Found = { text: "", calls: [], diagnostics: [], callsAbove: undefined };

  constructor(known: ReadonlySet<string>, { fences }: { fences: boolean }) {
    this.#known = known;
    this.#fences = fences;
  }

  push(text: string): Found {
    this.#lines(text);
    return this.#take();
  }

  /** What the end of the text closes is no call of `cutByLength`: its arguments are left open, and refused. */
  finish(cutByLength = false): Found {
    this.#cut = cutByLength;
    const held = this.#held;
    if (held?.kind === "fence") {
      this.#held = undefined;
      const closed = closes(this.#line, held.mark);
      const body = closed ? held.body : held.body + this.#line;
      if (!this.#takeFence(body, closed ? undefined : "missing_fence_end")) this.#say(held.text + this.#line);
    } else if (held !== undefined) {
      this.#endFormat(held, true);
      this.#feed(this.#takeBehind() ?? "");
      if (this.#held !== undefined || this.#line !== "") return this.finish(cutByLength);
    } else if (!this.#passing && this.#quote === undefined) {
      this.#mayClose(this.#line);
      this.#say(this.#line);
    }
    this.#line = "";
    if (!this.#called) this.#found.text += this.#space;
    return this.#take();
  }

  #lines(text: string): void {
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      this.#feed(text.slice(from, at + 1));
      from = at + 1;
    }
    if (from < text.length) this.#feed(text.slice(from));
  }

  /** Text after a call is read as if it began a line: another call may follow at once. */
  #takeBehind(): string | undefined {
    const behind = this.#behind;
    if (behind === undefined) return undefined;
    this.#behind = undefined;
    this.#line = "";
    this.#passing = false;
    return behind;
  }

  /** A piece of one line; its end, if it is there, is the last character. */
  #feed(part: string): void {
    for (let piece: string | undefined = part; piece; piece = this.#takeBehind()) this.#piece(piece);
  }

  #piece(part: string): void {
    if (this.#imagining) return;
    const whole = part.endsWith("\n");
    this.#line += part;
    if (this.#held?.kind === "format") {
      this.#held.text += part;
      this.#endFormat(this.#held, false);
    } else if (this.#held !== undefined) {
      if (!whole) return;
      this.#fenceLine(this.#held, this.#line);
    } else if (this.#quote !== undefined) {
      this.#say(part);
      if (whole && closes(this.#line, this.#quote)) this.#quote = undefined;
    } else if (this.#passing) {
      this.#say(part);
    } else if (!this.#open(whole)) {
      return;
    }
    if (this.#behind !== undefined) return;
    this.#passing = !whole && this.#held === undefined;
    if (whole || this.#held?.kind === "format") this.#line = "";
  }

  /** Decides what a line is; false = too little of it has come. */
  #open(whole: boolean): boolean {
    const line = this.#line;
    const start = line.charAt(0);
    if (formatStarts.includes(start)) {
      const marks = plainMarks(line.slice(0, longestOpening));
      const able = callFormats.filter(({ alone }) => !alone || !(this.#said || this.#called));
      const format = able.find(({ opens }) => marks.startsWith(opens));
      if (format !== undefined) {
        this.#held = holdFormat(format, line);
        this.#endFormat(this.#held, false);
        return true;
      }
      if (!whole && able.some(({ opens }) => opens.startsWith(marks))) return false;
    }
    if (start === "<" && closingThought.startsWith(line.trimEnd())) {
      if (!whole) return false;
      this.#mayClose(line);
    }
    if (start === "`" || start === "~") return this.#openFence(line, whole);
    if (this.#called) {
      if (!whole && resultMarks.some((mark) => mark.startsWith(line))) return false;
      if (resultMarks.some((mark) => line.startsWith(mark))) return this.#stopListening();
    }
    this.#say(line);
    return true;
  }

  #mayClose(line: string): void {
    if (line.trimEnd() === closingThought) this.#found.callsAbove ??= this.#found.calls.length;
  }

  /** What a fence holds is quoted, unless calls are written in fences. */
  #openFence(line: string, whole: boolean): boolean {
    const mark = fenceLine.exec(line)?.[1];
    if (!whole && (mark !== undefined || /^(`{1,2}|~{1,2})$/.test(line))) return false;
    if (this.#fences && mark?.startsWith("`")) {
      this.#held = { kind: "fence", mark, text: line, body: "" };
    } else {
      this.#say(line);
      this.#quote = mark;
    }
    return true;
  }

  #stopListening(): boolean {
    this.#imagining = true;
    this.#found.diagnostics.push({ kind: "imagined_result", repaired: true });
    return true;
  }

  /** A whole line inside a fence that may be a call. */
  #fenceLine(held: Extract<Held, { kind: "fence" }>, line: string): void {
    const closing = closes(line, held.mark);
    held.text += line;
    if (closing && this.#takeFence(held.body)) {
      this.#held = undefined;
    } else if (closing || (held.body === "" && !/^\s*(\{|$)/.test(line))) {
      this.#held = undefined;
      this.#say(held.text);
      if (!closing) this.#quote = held.mark;
    } else {
      held.body += held.body === "" ? line.trimStart() : line;
    }
  }

  #takeFence(body: string, repair?: string): boolean {
    const found = parseFence(body, this.#known);
    if (found === undefined) return false;
    this.#call(repair === undefined ? found.call : this.#atEnd(found.call), [
      ...found.diagnostics,
      ...(repair === undefined ? [] : [{ kind: repair, repaired: true }]),
    ]);
    return true;
  }

  /** A call ends with the closing mark of its format, or with the text. */
  #endFormat(held: HeldFormat, over: boolean): void {
    for (;;) {
      const end = nextMark(held);
      if (end === undefined && !over) return;
      // A mark inside a string is what the call writes.
      const quoted = end !== undefined && endsInString(held, end) && held.quoted < maxQuotedMarks;
      if (quoted && jsonInMarks.test(held.text)) continue;
      const text = held.text.slice(0, end);
      const calls = parseCalls(held.format, text, this.#known);
      if (calls.length === 0 && quoted) {
        held.quoted += 1;
        continue;
      }
      this.#held = undefined;
      if (calls.length === 0) calls.push(...brokenCall(held.format, text, this.#known));
      if (calls.length === 0) this.#say(held.text);
      else this.#behind = held.text.slice(text.length);
      for (const call of calls)
        this.#call(end === undefined ? this.#atEnd(call) : call, [{ kind: "dialect", repaired: true }]);
      return;
    }
  }

  /** A call that only the end of the text closed. */
  #atEnd(call: AssembledCall): AssembledCall {
    return this.#cut ? { ...call, arguments: leftOpen(call.arguments) } : call;
  }

  #call(call: AssembledCall, diagnostics: CallDiagnostic[]): void {
    this.#called = true;
    this.#found.calls.push(call);
    this.#found.diagnostics.push(...diagnostics);
  }

  #say(text: string): void {
    const all = this.#space + (this.#called ? text.trimStart() : text);
    const end = all.trimEnd().length;
    // A call begins a line: space on this one is told at once, so that a word's end is not late.
    const lineEnd = all.slice(end).search(/[\r\n]/);
    const shown = lineEnd < 0 ? all.length : end + lineEnd;
    this.#space = all.slice(shown);
    this.#found.text += all.slice(0, shown);
    if (end === 0) return;
    this.#said = true;
    this.#called = false;
  }

  #take(): Found {
    const found = this.#found;
    this.#found = { text: "", calls: [], diagnostics: [], callsAbove: undefined };
    return found;
  }
}

/** The beginning of an object that no bracket closes. */
function leftOpen(args: string): string {
  const text = args.trim();
  let end = text.length;
  while (/[\s\]}"]/.test(text.charAt(end - 1))) end -= 1;
  return text.startsWith("{") ? text.slice(0, end) : "{";
}

function closes(line: string, mark: string): boolean {
  const bare = line.trimEnd();
  return bare.length >= mark.length && bare === mark.charAt(0).repeat(bare.length);
}
