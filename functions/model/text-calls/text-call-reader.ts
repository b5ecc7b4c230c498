// Finds tool calls that a model writes into its text while the text streams in, and takes them out of it.
import type { AssembledCall } from "../call-assembly.ts";
import { writers } from "../repair.ts";
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
import {
  closes,
  endsInString,
  isQuoted,
  leftOpened,
  maxQuotedMarks,
  nextMark,
  type OpenFormat,
  openFormat,
  talksOn,
} from "./closing-marks.ts";
import { announcesExample } from "./example-words.ts";
import { parseFence } from "./fence-call.ts";
import { FoundText, type TextAndCalls } from "./found-text.ts";
import { orphaned, splitAtMarks } from "./inline-marks.ts";

/** Lines that are held back until it is known whether they are a call. */
type OpenBlock = { kind: "fence"; mark: string; text: string; body: string } | OpenFormat;

/** How results begin, in our form and in that of the models that write callFormats. */
const resultMarks = ["[TOOL_RESULT ", "<tool_response>"];

const fenceLine = /^(`{3,}|~{3,})[^`\n]*\n?$/;

/**
 * Reads two kinds of calls: fences at the start of a line with an object of exactly `tool` (known) and `args` (only
 * with `fences`), and the call formats of models trained on another form. Everything else stays text: other fences;
 * anything indented, quoted or naming no known tool; a format announced as an example, or in a sentence that continues
 * after it. Text held back that turns out not to be a call is returned unchanged.
 */
export class TextCallReader {
  #known: ReadonlySet<string>;
  #fences: boolean;
  /** The end of the text read so far, if it may begin a mark. */
  #held = "";
  /** The line so far. */
  #line = "";
  /** The line is text: its rest is passed on at once. */
  #passing = false;
  #open: OpenBlock | undefined;
  /** The closing mark of a fence with text content. */
  #quote: string | undefined;
  /** Calls on an unfinished line: the rest of the line decides whether they are calls or text. */
  #made: { text: string; calls: AssembledCall[] } | undefined;
  /** The line was split before the mark that is being read. */
  #within = false;
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

  /** A reader of the formats of models alone. */
  withoutFences(): TextCallReader {
    return new TextCallReader(this.#known, { fences: false });
  }

  /** The text read so far ends with a call. */
  get endsInCall(): boolean {
    return this.#found.endsInCall;
  }

  push(text: string): TextAndCalls {
    const { parts, rest } = splitAtMarks(this.#held + text);
    this.#held = rest;
    for (const part of parts) {
      // Where a call begins inside a line, the line ends: space before a call is dropped.
      const within = part.marked && this.#passing && !this.#open && this.#quote === undefined;
      if (within && !isQuoted(this.#line)) {
        this.#lines("\n");
        this.#within = true;
      }
      this.#lines(part.text);
    }
    return this.#found.take();
  }

  /** With `cutByLength`, a call that only the end of the text closes is left open, so that it is refused. */
  finish(cutByLength = false): TextAndCalls {
    this.#cut = cutByLength;
    this.#lines(this.#held);
    this.#held = "";
    const open = this.#open;
    this.#keepMade();
    if (open?.kind === "fence") {
      this.#open = undefined;
      const closed = closes(this.#line, open.mark);
      const body = closed ? open.body : open.body + this.#line;
      if (!this.#takeFence(open, body, closed ? undefined : "missing_fence_end"))
        this.#found.say(open.text + this.#line);
    } else if (open !== undefined) {
      this.#endFormat(open, true);
      this.#feed(this.#takeUnread() ?? "");
      if (this.#open !== undefined || this.#line !== "") return this.finish(cutByLength);
    } else if (!this.#passing && this.#quote === undefined) {
      this.#mayClose(this.#line);
      if (orphaned(this.#line) !== true) this.#found.say(this.#line);
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
    for (let piece: string | undefined = part; piece; piece = this.#takeUnread()) {
      if (this.#made !== undefined && /\S|\n/.test(this.#line + piece)) this.#decide(this.#line + piece);
      this.#piece(piece);
    }
  }

  /** Decides about `#made`, now that what follows on its line has arrived. */
  #decide(rest: string): void {
    if (talksOn(rest)) {
      if (this.#within) this.#found.dropLineEnd();
      this.#found.say(this.#made?.text ?? "");
      this.#made = undefined;
      this.#passing = true;
    }
    this.#keepMade();
  }

  #keepMade(): void {
    for (const call of this.#made?.calls ?? []) this.#found.call(call, [{ kind: "dialect", repaired: true }]);
    this.#made = undefined;
    this.#within = false;
  }

  #piece(part: string): void {
    if (this.#imagining) return;
    const whole = part.endsWith("\n");
    this.#line += part;
    if (this.#open?.kind === "format") {
      this.#open.text += part;
      this.#endFormat(this.#open, false);
    } else if (this.#open !== undefined) {
      if (!whole) return;
      this.#fenceLine(this.#open, this.#line);
    } else if (this.#quote !== undefined) {
      this.#found.say(part);
      if (whole && closes(this.#line, this.#quote)) this.#quote = undefined;
    } else if (this.#passing) {
      this.#found.say(part);
    } else if (!this.#begin(whole)) {
      return;
    }
    if (this.#unread !== undefined) return;
    this.#passing = !whole && this.#open === undefined;
    if (whole || this.#open?.kind === "format") this.#line = "";
  }

  /** Decides what a line is; false = too little of it has come. */
  #begin(whole: boolean): boolean {
    const line = this.#line;
    const start = line.charAt(0);
    if (formatStarts.includes(start)) {
      const marks = plainMarks(line.slice(0, longestOpening));
      const able = callFormats.filter(({ alone }) => !alone || !this.#found.hasBegun);
      const format = able.find(({ opens }) => marks.startsWith(opens));
      if (format !== undefined) {
        this.#open = openFormat(format, line);
        this.#endFormat(this.#open, false);
        return true;
      }
      if (!whole && able.some(({ opens }) => opens.startsWith(marks))) return false;
    }
    if (start === "<") {
      if (closingThought.startsWith(line.trimEnd())) {
        if (!whole) return false;
        this.#mayClose(line);
      }
      const left = orphaned(line);
      if (left === true && whole) return true;
      if (left !== false && !whole) return false;
    }
    if (start === "`" || start === "~") return this.#openFence(line, whole);
    if (this.#found.endsInCall) {
      if (!whole && resultMarks.some((mark) => mark.startsWith(line))) return false;
      if (resultMarks.some((mark) => line.startsWith(mark))) {
        this.#imagining = true;
        this.#found.diagnose({ kind: "imagined_result", repaired: true });
        return true;
      }
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
      this.#open = { kind: "fence", mark, text: line, body: "" };
    } else {
      this.#found.say(line);
      this.#quote = mark;
    }
    return true;
  }

  /** A whole line inside a fence that may be a call. */
  #fenceLine(open: Extract<OpenBlock, { kind: "fence" }>, line: string): void {
    const closing = closes(line, open.mark);
    open.text += line;
    if (closing && this.#takeFence(open, open.body)) {
      this.#open = undefined;
    } else if (closing || (open.body === "" && !/^\s*(\{|$)/.test(line))) {
      this.#open = undefined;
      this.#found.say(open.text);
      if (!closing) this.#quote = open.mark;
    } else {
      open.body += open.body === "" ? line.trimStart() : line;
    }
  }

  #takeFence({ text }: { text: string }, body: string, repair?: string): boolean {
    const found = parseFence(body, this.#known, /^`+tool\b/.test(text));
    if (found === undefined) return false;
    // A call in an unclosed fence may be incomplete.
    const open = repair !== undefined && writers.has(found.call.name);
    this.#found.call(
      open ? leftOpened(found.call) : repair === undefined ? found.call : this.#atEnd(found.call),
      [...found.diagnostics, ...(repair === undefined ? [] : [{ kind: repair, repaired: true }])],
    );
    return true;
  }

  /** A call ends with the closing mark of its format, or with the text. */
  #endFormat(open: OpenFormat, over: boolean): void {
    for (;;) {
      const end = nextMark(open);
      if (end === undefined && !over) return;
      // A mark inside a string is what the call writes.
      const quoted = end !== undefined && endsInString(open, end) && open.quoted < maxQuotedMarks;
      if (quoted && jsonInMarks.test(open.text)) continue;
      const text = open.text.slice(0, end);
      const calls = parseCalls(open.format, text, this.#known);
      if (calls.length === 0 && quoted) {
        open.quoted += 1;
        continue;
      }
      this.#open = undefined;
      if (calls.length === 0) calls.push(...brokenCall(open.format, text, this.#known));
      const shown = calls.length > 0 && announcesExample(this.#found.lastWords);
      if (calls.length === 0 || shown) this.#found.say(shown ? text : open.text);
      else this.#made = { text, calls: end === undefined ? calls.map((call) => this.#atEnd(call)) : calls };
      if (calls.length > 0) this.#unread = open.text.slice(text.length);
      if (end === undefined) this.#keepMade();
      return;
    }
  }

  /** A call that only the end of the text closed. */
  #atEnd(call: AssembledCall): AssembledCall {
    return this.#cut ? leftOpened(call) : call;
  }
}
