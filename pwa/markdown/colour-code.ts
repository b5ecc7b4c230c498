// Colours for a fence of markdown, by the language it names. Loaded with the first one.
import { highlight, type Token } from "../files/highlight.ts";
import { languageOf } from "../files/languages.ts";

/** What fences say, beside endings of files. */
const names: Record<string, string> = {
  bash: "sh",
  shell: "sh",
  console: "sh",
  golang: "go",
  javascript: "js",
  python: "py",
  ruby: "rb",
  rust: "rs",
  typescript: "ts",
};

/** The tokens of `text` in order, line ends between them; undefined if the language is not known. */
export function colourCode(fence: string, text: string): Token[] | undefined {
  const name = fence.toLowerCase();
  const language = languageOf(`x.${names[name] ?? name}`);
  if (language === undefined) return undefined;
  return highlight(text, language).flatMap((line, index): Token[] =>
    index === 0 ? line : [{ kind: "plain", text: "\n" }, ...line],
  );
}
