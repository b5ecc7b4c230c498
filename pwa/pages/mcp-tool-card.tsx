// One tool of an MCP server with all of its text, as the model reads it, and the choice of what the model may do. For a
// changed tool, both texts are shown.
import type { McpTool, McpUse } from "../../shared/mcp.ts";
import { shownSchema } from "../../shared/shown-tool.ts";
import { type KeptMcp, type KeptTool, takeNew, useTool } from "../app/mcp.ts";
import { CodeBox } from "../components/code-box.tsx";
import { oneLineOf } from "../components/shown-text.ts";

const uses: readonly [McpUse, string][] = [
  ["off", "Off"],
  ["asked", "Ask"],
  ["allowed", "Allow"],
];

export function McpToolCard({ server, tool }: { server: KeptMcp; tool: KeptTool }) {
  const { name, now } = tool;
  if (now === undefined)
    return (
      <article class="mcp-tool">
        <ToolText tool={tool} />
        <div class="segments" role="radiogroup" aria-label={`What the agent may do with ${name}`}>
          {uses.map(([use, words]) => (
            <label key={use} class={tool.use === use ? "on" : ""}>
              <input
                type="radio"
                name={`${server.name} ${name}`}
                checked={tool.use === use}
                onChange={() => void useTool(server, name, use)}
              />
              {words}
            </label>
          ))}
        </div>
      </article>
    );
  return (
    <article class="mcp-tool changed">
      <p>
        <b>{now === null ? "The server no longer has this tool." : "This tool has changed. It is off."}</b>
      </p>
      <p class="muted">{now === null ? "As it was" : "What you saw"}</p>
      <ToolText tool={tool} />
      {now !== null && (
        <>
          <p class="muted">What it says now</p>
          <ToolText tool={now} />
        </>
      )}
      <button type="button" class="button soft" onClick={() => void takeNew(server, tool)}>
        {now === null ? "Remove it" : "Use the new one: ask me each time"}
      </button>
    </article>
  );
}

function ToolText({ tool: { name, description, inputSchema, readOnly } }: { tool: McpTool }) {
  return (
    <>
      <h4>
        <code>{oneLineOf(name)}</code>
        {readOnly && <span class="muted"> says that it changes nothing</span>}
      </h4>
      <p class="mcp-words">{description || "It has no description."}</p>
      <details>
        <summary>Arguments</summary>
        {/* A String object is not marked again (shown-text.ts): `shownSchema` has already marked hidden characters. */}
        <CodeBox>{Object(JSON.stringify(shownSchema(inputSchema), null, 2))}</CodeBox>
      </details>
    </>
  );
}
