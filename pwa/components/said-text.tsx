// A person's message as they wrote it: quoted lines are set apart and backticks mark code; no other markup is
// interpreted.
import { InlineCode } from "./inline-code.tsx";

const quoteMark = /^> ?/;

export function SaidText({ text }: { text: string }) {
  const parts: { quoted: boolean; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const quoted = quoteMark.test(line);
    const last = parts.at(-1);
    const words = quoted ? line.replace(quoteMark, "") : line;
    if (last?.quoted === quoted) last.lines.push(words);
    else parts.push({ quoted, lines: [words] });
  }
  return (
    <>
      {parts.map(({ quoted, lines }, index) => {
        const words = <InlineCode text={lines.join("\n")} />;
        return quoted ? <blockquote key={index}>{words}</blockquote> : <span key={index}>{words}</span>;
      })}
    </>
  );
}
