// Tool calls that a model writes into its text, found while the text streams in.
import type { AssembledCall } from "./call-assembly.ts";
import type { CallDiagnostic } from "./repair.ts";

/** What may be shown as text, and the calls that were taken out of it. */
export interface Found {
  text: string;
  calls: AssembledCall[];
  diagnostics: CallDiagnostic[];
}

export interface TextCalls {
  push(text: string): Found;
  finish(): Found;
}

const nothing: Found = { text: "", calls: [], diagnostics: [] };

/** For models with native calls: text is text. */
export const noTextCalls: TextCalls = {
  push: (text) => ({ text, calls: [], diagnostics: [] }),
  finish: () => nothing,
};
