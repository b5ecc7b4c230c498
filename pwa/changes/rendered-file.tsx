// A changed file of Markdown as it reads now, in place of its lines.
import "../styles/markdown.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { inWords } from "../app/app-state.ts";
import { readFileBytes } from "../app/workspace.ts";
import { Markdown } from "../markdown/markdown.tsx";

/** More than this nobody reads on a phone, and it would take a while to draw. */
const maxBytes = 200_000;

export function isMarkdown(path: string): boolean {
  return /\.(md|mdx|markdown)$/i.test(path);
}

interface RenderedFileProps {
  sandboxId: string;
  path: string;
  /** Version of its content: a new one is read again. */
  seen: string | undefined;
}

export function RenderedFile({ sandboxId, path, seen }: RenderedFileProps) {
  const text = useSignal<string | null>(null);
  useEffect(() => {
    readFileBytes(sandboxId, path, maxBytes)
      .then(({ bytes }) => bytes.text())
      .then(
        (read) => (text.value = read),
        (error: unknown) => (text.value = inWords(error).message),
      );
  }, [sandboxId, path, seen]);
  return (
    <div class="rendered">
      {text.value === null ? <p class="muted">Reading…</p> : <Markdown text={text.value} />}
    </div>
  );
}
