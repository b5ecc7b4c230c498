// Markdown on which a person decides: where drawing it would leave out a word (a link's path or title, words after a
// fence, cells beside a table), it is shown as it was written. The model reads those words as approved.
import { useMemo } from "preact/hooks";
import { Command } from "../components/command.tsx";
import { Markdown, Words } from "./markdown.tsx";
import { shownMarkdown, showsAllWords } from "./shown-markdown.ts";

/** Blocks; `Markdown` where it leaves out nothing. */
export function WholeMarkdown({ text }: { text: string }) {
  const shown = useMemo(() => shownMarkdown(text), [text]);
  return <Markdown text={shown} />;
}

/** One stretch; `Words` where it leaves out nothing. */
export function WholeWords({ text, still = false }: { text: string; still?: boolean }) {
  const whole = useMemo(() => showsAllWords(text), [text]);
  return whole ? <Words text={text} still={still} /> : <Command text={text} />;
}
