// Shows Markdown as elements. Anything it does not know is shown as text.
import { useMemo } from "preact/hooks";
import { CodeBox, Copy } from "../components/code-box.tsx";
import type { Block, Inline, List } from "./block.ts";
import { Code } from "./code.tsx";
import { plain } from "./emphasis.ts";
import { noReferences, type References } from "./link-references.ts";
import { linkTarget } from "./link-target.ts";
import { parseBlocks } from "./parse-blocks.ts";
import { parseInline } from "./parse-inline.ts";
import type { Table } from "./parse-table.ts";

export function Markdown({ text }: { text: string }) {
  const { blocks, references } = useMemo(() => parseBlocks(text), [text]);
  return (
    <div class="markdown">
      <Blocks blocks={blocks} references={references} />
    </div>
  );
}

function Blocks({ blocks, references }: { blocks: readonly Block[]; references: References }) {
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} references={references} />
      ))}
    </>
  );
}

function BlockView({ block, references }: { block: Block; references: References }) {
  switch (block.kind) {
    case "paragraph":
      return (
        <p>
          <Words text={block.text} references={references} />
        </p>
      );
    case "heading":
      return (
        <h2 class={`level-${Math.min(block.level, 3)}`}>
          <Words text={block.text} references={references} />
        </h2>
      );
    case "code":
      return (
        <div class="code">
          <CodeBox>
            <Code language={block.language} text={block.text} />
          </CodeBox>
          <Copy text={block.text} />
        </div>
      );
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} references={references} />
        </blockquote>
      );
    case "rule":
      return <hr />;
    case "table":
      return <TableView table={block} references={references} />;
    case "list":
      return <ListView list={block} references={references} />;
  }
}

function ListView({ list, references }: { list: List; references: References }) {
  const items = list.items.map((blocks, index) => (
    <li key={index}>
      {blocks.map((block, at) =>
        block.kind === "paragraph" && !list.loose ? (
          <Words key={at} text={block.text} references={references} />
        ) : (
          <BlockView key={at} block={block} references={references} />
        ),
      )}
    </li>
  ));
  return list.ordered ? <ol start={list.start}>{items}</ol> : <ul>{items}</ul>;
}

/** A table that is wider than the screen scrolls on its own. */
function TableView({ table, references }: { table: Table; references: References }) {
  const { head, align, rows } = table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <div class="table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th key={column} scope="col" class={align[column]}>
                <Words text={cell} references={references} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={column} class={align[column]}>
                  <Words text={cell} references={references} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface WordsProps {
  text: string;
  references?: References;
  /** Shows links as plain text, for words inside a button or words that are not shown whole. */
  still?: boolean;
}

/** A piece of inline Markdown. */
export function Words({ text, references = noReferences, still = false }: WordsProps) {
  const parts = useMemo(() => parseInline(text, references), [text, references]);
  return <Parts parts={parts} still={still} />;
}

function Parts({ parts, still }: { parts: readonly Inline[]; still: boolean }) {
  return (
    <>
      {parts.map((part, index) => (
        <Part key={index} part={part} still={still} />
      ))}
    </>
  );
}

/** A longer label could push the host after it off the screen. */
const longLabelChars = 80;

function LinkWords({ link: { href, parts } }: { link: Extract<Inline, { kind: "link" }> }) {
  const label = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  const target = linkTarget(href, label);
  const words = <Parts parts={parts} still />;
  if (target === undefined) return words;
  const host = (
    <>
      (<code>{target}</code>)
    </>
  );
  const whole = plain(parts);
  return whole.length > longLabelChars || whole.includes("\n") ? (
    <>
      {host} {words}
    </>
  ) : (
    <>
      {words} {host}
    </>
  );
}

function Part({ part, still }: { part: Inline; still: boolean }) {
  switch (part.kind) {
    case "text":
      return <>{part.text}</>;
    case "break":
      return <br />;
    case "code":
      return <code>{part.text}</code>;
    case "bold":
      return (
        <strong>
          <Parts parts={part.parts} still={still} />
        </strong>
      );
    case "emphasis":
      return (
        <em>
          <Parts parts={part.parts} still={still} />
        </em>
      );
    case "link":
      if (still) return <LinkWords link={part} />;
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer">
          <LinkWords link={part} />
        </a>
      );
  }
}
