// The rows of a hunk in two columns. A tap on either side counts as a tap on its line.
import { type ComponentChildren, Fragment } from "preact";
import type { LineTools } from "./line-tools.ts";
import type { DiffHunk, DiffLine } from "./parse-diff.ts";
import { type SplitSide, splitRows } from "./split-rows.ts";

interface SplitLinesProps {
  hunk: DiffHunk;
  tools: LineTools;
  /** The line with its colours. */
  drawn(line: DiffLine): ComponentChildren;
}

export function SplitLines({ hunk, tools, drawn }: SplitLinesProps) {
  return splitRows(hunk).map((row, index) => (
    <Fragment key={index}>
      <div class="split-row">
        <Side side={row.old} tools={tools} drawn={drawn} />
        <Side side={row.new} tools={tools} drawn={drawn} />
      </div>
      {row.old && tools.below(row.old.line)}
      {row.new && row.new.line !== row.old?.line && tools.below(row.new.line)}
    </Fragment>
  ));
}

interface SideProps extends Pick<SplitLinesProps, "tools" | "drawn"> {
  side: SplitSide | undefined;
}

function Side({ side, tools, drawn }: SideProps) {
  if (side === undefined) return <div class="diff-line none" />;
  const { line, number } = side;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: every file has a button for its lines as well
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    <div class={`diff-line ${line.kind}`} onClick={() => tools.onLine(line)}>
      <span class="number">{number}</span>
      {line.kind !== "same" && <span class="visually-hidden">{line.kind}: </span>}
      <code>{drawn(line)}</code>
    </div>
  );
}
