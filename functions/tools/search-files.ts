// `search_files`: matching rows, with the references that edits name.
import * as z from "zod/mini";
import { SearchArgs, SearchValue } from "../../shared/sandbox.ts";
import { gapWithRemedy, sized, type ValueText, withNote } from "../calls/result-text.ts";
import { sandboxTool } from "./tool.ts";

export const searchFiles = sandboxTool({
  name: "search_files",
  description: "Search file contents; matches are rows that can be edited at once.",
  schema: z.omit(SearchArgs, { limit: true }),
  modes: ["normal", "plan", "auto"],
  reads: true,
  call: (args) => ({ op: "search", args }),
  value: SearchValue,
  text: matchesText,
});

function matchesText({ matches, truncated }: SearchValue): ValueText {
  const blocks = matches.map((match) => `[${match.path} @${match.version}]\n${match.rows}`);
  const text = withNote(
    blocks.join("\n") || "no matches",
    truncated,
    "more matches: narrow the pattern or the glob",
  );
  return {
    text: sized(text, gapWithRemedy("narrow the pattern or the glob")),
    facts: { files: matches.length },
  };
}
