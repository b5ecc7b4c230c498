// What a text contains so far: the part that may be shown, and the calls taken out of it.
import type { AssembledCall } from "../call-assembly.ts";
import type { CallDiagnostic } from "../repair.ts";

/** What may be shown as text, and the calls that were taken out of it. */
export interface TextAndCalls {
  text: string;
  calls: AssembledCall[];
  diagnostics: CallDiagnostic[];
  /** Set if a line of the text is a closing reasoning tag and nothing else: how many of the calls came before it. */
  callsAbove: number | undefined;
}

const nothing = (): TextAndCalls => ({ text: "", calls: [], diagnostics: [], callsAbove: undefined });

/** How much of the text's end is kept, to see what leads to a call. */
const keptChars = 600;

/** Gathers what a reader finds. Space before a call is dropped, space before more text is kept. */
export class FoundText {
  #found = nothing();
  /** Space at the end of the text so far. */
  #space = "";
  #called = false;
  #said = false;
  #last = "";

  /** The last thing found was a call. */
  get endsInCall(): boolean {
    return this.#called;
  }

  /** Text or a call was found: a call that may only come alone cannot begin any more. */
  get hasBegun(): boolean {
    return this.#said || this.#called;
  }

  /** The end of the text so far, without the calls in it. */
  get lastWords(): string {
    return this.#last + this.#space;
  }

  say(text: string): void {
    const all = this.#space + (this.#called ? text.trimStart() : text);
    const end = all.trimEnd().length;
    // A call begins a line: space on this one is told at once, so that a word's end is not late.
    const lineEnd = all.slice(end).search(/[\r\n]/);
    const shown = lineEnd < 0 ? all.length : end + lineEnd;
    this.#space = all.slice(shown);
    this.#found.text += all.slice(0, shown);
    this.#last = (this.#last + all.slice(0, shown)).slice(-keptChars);
    if (end === 0) return;
    this.#said = true;
    this.#called = false;
  }

  call(call: AssembledCall, diagnostics: readonly CallDiagnostic[]): void {
    this.#called = true;
    this.#found.calls.push(call);
    this.#found.diagnostics.push(...diagnostics);
  }

  /** Removes a line end that was added last. */
  dropLineEnd(): void {
    this.#space = this.#space.replace(/\n$/, "");
  }

  diagnose(diagnostic: CallDiagnostic): void {
    this.#found.diagnostics.push(diagnostic);
  }

  /** Call it for a line that is a closing reasoning tag and nothing else. Only the first one counts. */
  closeThought(): void {
    this.#found.callsAbove ??= this.#found.calls.length;
  }

  /** Everything found since the last `take`. `atEnd`: no more text follows. */
  take(atEnd = false): TextAndCalls {
    if (atEnd && !this.#called) this.#found.text += this.#space;
    const found = this.#found;
    this.#found = nothing();
    return found;
  }
}
