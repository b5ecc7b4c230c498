// Shows one file: text with line numbers, an image, or a sentence if it is neither or too large.
import { useMemo, useState } from "preact/hooks";
import { sizeInWords } from "./file-kind.ts";
import { highlight, type Token } from "./highlight.ts";
import { languageOf } from "./languages.ts";
import { maxTextBytes, type ShownFile } from "./read-file.ts";

/** This many lines are drawn at a time. */
const linesAtOnce = 1_000;

interface FileViewProps {
  path: string;
  shown: ShownFile;
  wrap: boolean;
}

export function FileView({ path, shown, wrap }: FileViewProps) {
  switch (shown.kind) {
    case "loading":
      return <p class="page-words muted">Reading…</p>;
    case "failed":
      return <p class="page-words">{shown.message}</p>;
    case "image":
      return <img src={shown.url} alt={path} />;
    case "bytes":
      return (
        <p class="page-words muted">
          {shown.why}, {sizeInWords(shown.size)}. It is not shown here; download it.
        </p>
      );
    case "text":
      return <TextFile path={path} shown={shown} wrap={wrap} />;
  }
}

function TextFile({ path, shown, wrap }: FileViewProps & { shown: Extract<ShownFile, { kind: "text" }> }) {
  const { text, cut, size } = shown;
  const lines = useMemo(() => linesOf(text, path), [text, path]);
  const [count, setCount] = useState(linesAtOnce);
  if (text === "") return <p class="page-words muted">An empty file.</p>;
  return (
    <>
      {cut && (
        <p class="page-words muted">
          A large file: the first {sizeInWords(maxTextBytes)} of {sizeInWords(size)}. Download it to read all.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class={wrap ? "diff-scroll wrapped" : "diff-scroll"} aria-label={path} tabIndex={0}>
        <div class="code-lines">
          {lines.slice(0, count).map((tokens, index) => (
            <div class="diff-line" key={index}>
              <span class="number">{index + 1}</span>
              <code>{tokens.length === 0 ? " " : tokens.map(Coloured)}</code>
            </div>
          ))}
        </div>
      </section>
      {lines.length > count && (
        <button type="button" class="button quiet wide" onClick={() => setCount(count + linesAtOnce)}>
          Show {Math.min(linesAtOnce, lines.length - count)} more of {lines.length} lines
        </button>
      )}
    </>
  );
}

function Coloured({ text, kind }: Token, at: number) {
  if (kind === "plain") return text;
  return (
    <span key={at} class={`is-${kind}`}>
      {text}
    </span>
  );
}

function linesOf(text: string, path: string): Token[][] {
  // Windows line ends are not shown if all lines have them; a single one is shown.
  const ends = /(?<!\r)\n/.test(text) ? text : text.replaceAll("\r\n", "\n");
  const body = ends.replace(/\r?\n$/, "");
  const language = languageOf(path);
  if (language !== undefined) return highlight(body, language);
  return body.split("\n").map((line) => [{ text: line, kind: "plain" }]);
}
