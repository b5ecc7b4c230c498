// Finds tool calls that a model writes into its text while the text streams in, and takes them out of it.
import type { AssembledCall } from "../call-assembly.ts";
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
import { FoundText, type TextAndCalls } from "./found-text.ts";

/** Lines that are held back until it is known whether they are a call. */
type Held = { kind: "fence"; mark: string; text: string; body: string } | HeldFormat;

/** How results begin, in our form and in that of the models that write callFormats. */
const resultMarks = ["[TOOL_RESULT ", "<tool_response>"];

const fenceLine = /^(`{3,}|~{3,})[^`\n]*\n?$/;

/**
 * Reads two kinds of calls: fences at the start of a line whose object has exactly `tool` (known) and `args` (only with
 * `fences`), and the call formats of models that were trained on another form. Everything else stays text: other
 * fences, and what is indented, quoted or names no known tool. Text that was held back and turns out not to be a call is returned unchanged.
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
  /** Text after a call that was not read yet. */
  #unread: string | undefined;
  /** A model that invents results keeps talking about them. */
  #imagining = false;
  /** The text ended for want of tokens. */
  #cut = false;
  readonly #found = new FoundText();

  constructor(known: ReadonlySet<string>, { fences }: { fences: boolean }) {
    this.#known = known;
    this.#fences = fences;
  }

  push(text: string): TextAndCalls {
    this.#lines(text);
    return this.#found.take();
  }

  /** With `cutByLength`, a call that only the end of the text closes is left open, so that it is refused. */
  finish(cutByLength = false): TextAndCalls {
    this.#cut = cutByLength;
    const held = this.#held;
    if (held?.kind === "fence") {
      this.#held = undefined;
      const closed = closes(this.#line, held.mark);
      const body = closed ? held.body : held.body + this.#line;
      if (!this.#takeFence(body, closed ? undefined : "missing_fence_end"))
        this.#found.say(held.text + this.#line);
    } else if (held !== undefined) {
      this.#endFormat(held, true);
      this.#feed(this.#takeUnread() ?? "");
      if (this.#held !== undefined || this.#line !== "") return this.finish(cutByLength);
    } else if (!this.#passing && this.#quote === undefined) {
      this.#mayClose(this.#line);
      this.#found.say(this.#line);
    }
    this.#line = "";
    return this.#found.take(true);
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
  #takeUnread(): string | undefined {
    const unread = this.#unread;
    if (unread === undefined) return undefined;
    this.#unread = undefined;
    this.#line = "";
    this.#passing = false;
    return unread;
  }

  /** A piece of one line; its end, if it is there, is the last character. */
  #feed(part: string): void {
    for (let piece: string | undefined = part; piece; piece = this.#takeUnread()) this.#piece(piece);
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
      this.#found.say(part);
      if (whole && closes(this.#line, this.#quote)) this.#quote = undefined;
    } else if (this.#passing) {
      this.#found.say(part);
    } else if (!this.#open(whole)) {
      return;
    }
    if (this.#unread !== undefined) return;
    this.#passing = !whole && this.#held === undefined;
    if (whole || this.#held?.kind === "format") this.#line = "";
  }

  /** Decides what a line is; false = too little of it has come. */
  #open(whole: boolean): boolean {
    const line = this.#line;
    const start = line.charAt(0);
    if (formatStarts.includes(start)) {
      const marks = plainMarks(line.slice(0, longestOpening));
      const able = callFormats.filter(({ alone }) => !alone || !this.#found.hasBegun);
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
    if (this.#found.endsInCall) {
      if (!whole && resultMarks.some((mark) => mark.startsWith(line))) return false;
      if (resultMarks.some((mark) => line.startsWith(mark))) return this.#stopListening();
    }
    this.#found.say(line);
    return true;
  }

  #mayClose(line: string): void {
    if (line.trimEnd() === closingThought) this.#found.closeThought();
  }

  /** What a fence holds is quoted, unless calls are written in fences. */
  #openFence(line: string, whole: boolean): boolean {
    const mark = fenceLine.exec(line)?.[1];
    if (!whole && (mark !== undefined || /^(`{1,2}|~{1,2})$/.test(line))) return false;
    if (this.#fences && mark?.startsWith("`")) {
      this.#held = { kind: "fence", mark, text: line, body: "" };
    } else {
      this.#found.say(line);
      this.#quote = mark;
    }
    return true;
  }

  #stopListening(): boolean {
    this.#imagining = true;
    this.#found.diagnose({ kind: "imagined_result", repaired: true });
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
      this.#found.say(held.text);
      if (!closing) this.#quote = held.mark;
    } else {
      held.body += held.body === "" ? line.trimStart() : line;
    }
  }

  #takeFence(body: string, repair?: string): boolean {
    const found = parseFence(body, this.#known);
    if (found === undefined) return false;
    this.#found.call(repair === undefined ? found.call : this.#atEnd(found.call), [
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
      if (calls.length === 0) this.#found.say(held.text);
      else this.#unread = held.text.slice(text.length);
      for (const call of calls)
        this.#found.call(end === undefined ? this.#atEnd(call) : call, [{ kind: "dialect", repaired: true }]);
      return;
    }
  }

  /** A call that only the end of the text closed. */
  #atEnd(call: AssembledCall): AssembledCall {
    return this.#cut ? { ...call, arguments: leftOpen(call.arguments) } : call;
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
