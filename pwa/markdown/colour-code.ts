// Colours a fenced code block in the language that the fence names. Loaded with the first fence.
import { highlight, type Token } from "../files/highlight.ts";
import { languageOf } from "../files/languages.ts";

/** Language names that fences use and that are not file extensions. */
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

/** Returns the tokens of `text` in order, with line ends between them; undefined if the language is not known. */
export function colourCode(fence: string, text: string): Token[] | undefined {
  const name = fence.toLowerCase();
  const language = languageOf(`x.${names[name] ?? name}`);
  if (language === undefined) return undefined;
  return highlight(text, language).flatMap((line, index): Token[] =>
    index === 0 ? line : [{ kind: "plain", text: "\n" }, ...line],
  );
}
