// Markdown that a person decides about. If drawing it would leave out a word (a link's path or title, words after a
// fence, cells beside a table), it is shown as it was written, because the model takes those words as approved.
import { useMemo } from "preact/hooks";
import { Command } from "../components/command.tsx";
import { Markdown, Words } from "./markdown.tsx";
import { shownMarkdown, showsAllWords } from "./shown-markdown.ts";

/** Blocks, drawn by `Markdown`; what it would leave out is turned into text or code first. */
export function WholeMarkdown({ text }: { text: string }) {
  const shown = useMemo(() => shownMarkdown(text), [text]);
  return <Markdown text={shown} />;
}

/** A piece of inline text, drawn by `Words` unless that would leave something out. */
export function WholeWords({ text, still = false }: { text: string; still?: boolean }) {
  const whole = useMemo(() => showsAllWords(text), [text]);
  return whole ? <Words text={text} still={still} /> : <Command text={text} />;
}
