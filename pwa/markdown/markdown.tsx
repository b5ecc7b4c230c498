// Shows markdown as elements. What it does not know it shows as text.
import { useMemo } from "preact/hooks";
import { CodeBox } from "../components/code-box.tsx";
import { Copy } from "../components/copy.tsx";
import { Code } from "./code.tsx";
import { linkTarget } from "./link-target.ts";
import { type Block, parseBlocks } from "./parse-blocks.ts";
import { type Inline, parseInline } from "./parse-inline.ts";
import type { Table } from "./parse-table.ts";

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parseBlocks(text), [text]);
  return (
    <div class="markdown">
      <Blocks blocks={blocks} />
    </div>
  );
}

function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case "paragraph":
      return (
        <p>
          <Words text={block.text} />
        </p>
      );
    case "heading":
      return (
        <h2 class={`level-${Math.min(block.level, 3)}`}>
          <Words text={block.text} />
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
          <Words text={block.text} />
        </blockquote>
      );
    case "rule":
      return <hr />;
    case "table":
      return <TableView table={block} />;
    case "list": {
      const items = block.items.map((item, index) => (
        <li key={index}>
          <Words text={item.text} />
          {item.children.length > 0 && <Blocks blocks={item.children} />}
        </li>
      ));
      return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
    }
  }
}

/** Wider than the screen it scrolls by itself. */
function TableView({ table: { head, align, rows } }: { table: Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <div class="table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th key={column} scope="col" class={align[column]}>
                <Words text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={column} class={align[column]}>
                  <Words text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** One stretch of inline markdown. */
export function Words({ text }: { text: string }) {
  const parts = useMemo(() => parseInline(text), [text]);
  return <Parts parts={parts} />;
}

function Parts({ parts }: { parts: readonly Inline[] }) {
  return (
    <>
      {parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </>
  );
}

function Target({ link: { href, parts } }: { link: Extract<Inline, { kind: "link" }> }) {
  const target = linkTarget(href, parts.map((part) => (part.kind === "text" ? part.text : "")).join(""));
  if (target === undefined) return null;
  return (
    <>
      {" "}
      (<code>{target}</code>)
    </>
  );
}

function Part({ part }: { part: Inline }) {
  switch (part.kind) {
    case "text":
      return <>{part.text}</>;
    case "code":
      return <code>{part.text}</code>;
    case "bold":
      return (
        <strong>
          <Parts parts={part.parts} />
        </strong>
      );
    case "emphasis":
      return (
        <em>
          <Parts parts={part.parts} />
        </em>
      );
    case "link":
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer">
          <Parts parts={part.parts} />
          <Target link={part} />
        </a>
      );
  }
}
