// Tool calls that a model writes into its text, found while the text streams in and taken out of it.
import type { AssembledCall } from "./call-assembly.ts";
import { type Dialect, dialects, parseDialect } from "./dialects.ts";
import { parseFence } from "./fence-call.ts";
import type { CallDiagnostic } from "./repair.ts";

/** What may be shown as text, and the calls that were taken out of it. */
export interface Found {
  text: string;
  calls: AssembledCall[];
  diagnostics: CallDiagnostic[];
}

/** Lines that are held back until it is known whether they are a call. */
type Held =
  | { kind: "fence"; mark: string; text: string; body: string }
  | { kind: "dialect"; dialect: Dialect; text: string };

const fenceLine = /^(`{3,}|~{3,})[^`\n]*\n?$/;

/**
 * Fences at the start of a line whose object has exactly `tool` (known) and `args` (only with `fences`),
 * and the dialects of models that were trained on another form. Whatever else stands in a fence, is
 * indented, quoted or names no known tool stays text. What was held back and is no call comes out as it was.
 */
export class TextCalls {
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
  /** A model that makes up results goes on talking about them. */
  #imagining = false;
  #found: Found = { text: "", calls: [], diagnostics: [] };

  constructor(known: ReadonlySet<string>, { fences }: { fences: boolean }) {
    this.#known = known;
    this.#fences = fences;
  }

  push(text: string): Found {
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      this.#feed(text.slice(from, at + 1));
      from = at + 1;
    }
    if (from < text.length) this.#feed(text.slice(from));
    return this.#take();
  }

  finish(): Found {
    const held = this.#held;
    if (held?.kind === "fence") {
      this.#held = undefined;
      const closed = closes(this.#line, held.mark);
      const body = closed ? held.body : held.body + this.#line;
      if (!this.#takeFence(body, closed ? undefined : "missing_fence_end")) this.#say(held.text + this.#line);
    } else if (held !== undefined) {
      this.#endDialect(held, true);
    } else if (!this.#passing && this.#quote === undefined) {
      this.#say(this.#line);
    }
    this.#line = "";
    if (!this.#called) this.#found.text += this.#space;
    return this.#take();
  }

  /** A piece of one line; its end, if it is there, is the last character. */
  #feed(part: string): void {
    if (this.#imagining) return;
    const whole = part.endsWith("\n");
    this.#line += part;
    if (this.#held?.kind === "dialect") {
      this.#held.text += part;
      this.#endDialect(this.#held, false);
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
    this.#passing = !whole && this.#held === undefined;
    if (whole || this.#held?.kind === "dialect") this.#line = "";
  }

  /** Decides what a line is; false = too little of it has come. */
  #open(whole: boolean): boolean {
    const line = this.#line;
    const start = line.charAt(0);
    if (this.#fences && (start === "`" || start === "~")) {
      const mark = fenceLine.exec(line)?.[1];
      if (!whole && (mark !== undefined || /^(`{1,2}|~{1,2})$/.test(line))) return false;
      if (mark?.startsWith("`")) this.#held = { kind: "fence", mark, text: line, body: "" };
      else this.#say(line);
      if (mark?.startsWith("~")) this.#quote = mark;
      return true;
    }
    if (this.#fences && this.#found.calls.length + Number(this.#called) > 0 && start === "[") {
      if (!whole && "[TOOL_RESULT ".startsWith(line)) return false;
      if (line.startsWith("[TOOL_RESULT ")) return this.#stopListening();
    }
    if (start === "<" || start === "[") {
      const dialect = dialects.find(({ opens }) => line.startsWith(opens));
      if (dialect !== undefined) {
        this.#held = { kind: "dialect", dialect, text: line };
        this.#endDialect(this.#held, false);
        return true;
      }
      if (!whole && dialects.some(({ opens }) => opens.startsWith(line))) return false;
    }
    this.#say(line);
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
    } else if (closing || !/^\s*(\{|$)/.test(held.body + line)) {
      this.#held = undefined;
      this.#say(held.text);
      if (!closing) this.#quote = held.mark;
    } else {
      held.body += line;
    }
  }

  #takeFence(body: string, repair?: string): boolean {
    const found = parseFence(body, this.#known);
    if (found === undefined) return false;
    this.#call(found.call, [
      ...found.diagnostics,
      ...(repair === undefined ? [] : [{ kind: repair, repaired: true }]),
    ]);
    return true;
  }

  /** A dialect ends with its mark, or with the text. What stands behind the mark is text again. */
  #endDialect(held: Extract<Held, { kind: "dialect" }>, over: boolean): void {
    const { opens, closes: mark } = held.dialect;
    const at = mark === undefined ? -1 : held.text.indexOf(mark, opens.length);
    if (at < 0 && !over) return;
    const end = at < 0 || mark === undefined ? held.text.length : at + mark.length;
    const body = held.text.slice(opens.length, at < 0 ? held.text.length : at);
    const calls = parseDialect(held.dialect, body, this.#known);
    this.#held = undefined;
    if (calls.length === 0) this.#say(held.text);
    for (const call of calls) this.#call(call, [{ kind: "dialect", repaired: true }]);
    if (calls.length > 0) this.#say(held.text.slice(end));
  }

  #call(call: AssembledCall, diagnostics: CallDiagnostic[]): void {
    this.#called = true;
    this.#found.calls.push(call);
    this.#found.diagnostics.push(...diagnostics);
  }

  #say(text: string): void {
    const all = this.#space + text;
    const end = all.trimEnd().length;
    this.#space = all.slice(end);
    if (end === 0) return;
    this.#found.text += all.slice(0, end);
    this.#called = false;
  }

  #take(): Found {
    const found = this.#found;
    this.#found = { text: "", calls: [], diagnostics: [] };
    return found;
  }
}

function closes(line: string, mark: string): boolean {
  const bare = line.trimEnd();
  return bare.length >= mark.length && bare === mark.charAt(0).repeat(bare.length);
}
