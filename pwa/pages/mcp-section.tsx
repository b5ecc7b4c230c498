// Settings: MCP servers, their tools with the whole text that the model reads, and what the model may do with each
// tool.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { McpUse } from "../../shared/mcp.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { inWords } from "../app/app-state.ts";
import {
  hasMoved,
  isProgram,
  type KeptMcp,
  loadMcp,
  lookAgain,
  mcpOfServer,
  mcpPlaceText,
  mcpServers,
  mcpTokensLast,
  removeMcp,
  sessionForPrograms,
  takeNewPlace,
  useAll,
} from "../app/mcp.ts";
import { AddServer, OfServer, StartWriting } from "./add-mcp-server.tsx";
import { McpToolCard } from "./mcp-tool-card.tsx";
import { SettingsSection } from "./settings-section.tsx";
import "../styles/mcp.css";
import { Problem } from "../components/problem.tsx";

export function McpSection() {
  const adding = useSignal(false);
  const asking = useSignal(true);
  /** The server that was added last. */
  const added = useSignal<string | null>(null);
  useEffect(() => {
    void loadMcp()
      .catch(() => undefined)
      .finally(() => (asking.value = false));
  }, []);
  const kept = mcpServers.value;
  const offered = mcpOfServer.value.filter(({ name }) => !kept.some((one) => one.name === name));
  return (
    <SettingsSection
      title="MCP servers"
      why={`Servers of the Model Context Protocol give the agent further tools: a tracker, a database, a browser. What they say and return is foreign text: the agent is told so, and you decide about each tool. ${
        mcpTokensLast
          ? "A token is kept on this device, encrypted with a key that cannot be read out, and goes along with your turns to its server alone."
          : "This page is not encrypted (http), so tokens are kept only until it is closed."
      }`}
    >
      {kept.length === 0 && (
        <p class="muted settings-asks">
          {asking.value ? "Asking the server for its own…" : "None is set up here."}
        </p>
      )}
      {kept.map((server) => (
        <Server key={server.name} server={server} isNew={server.name === added.value} />
      ))}
      {offered.map(({ name, host, at }) => (
        <OfServer key={name} name={name} host={host} at={at} onDone={() => (added.value = name)} />
      ))}
      {adding.value ? (
        <AddServer
          onDone={(name) => {
            adding.value = false;
            added.value = name ?? null;
          }}
        />
      ) : (
        <button type="button" class="button soft" onClick={() => (adding.value = true)}>
          Add a server
        </button>
      )}
    </SettingsSection>
  );
}

function countInWords(server: KeptMcp): string {
  const { tools } = server;
  const changed = tools.filter((tool) => "now" in tool && tool.use !== "off").length;
  const used = tools.filter((tool) => tool.use !== "off" && !("now" in tool)).length;
  if (hasMoved(server))
    return `0 of ${plural(tools.length, "tool")} in use · ${server.at === undefined ? "review it again" : "new address: review it"}`;
  const words = `${used} of ${plural(tools.length, "tool")} in use`;
  return changed === 0 ? words : `${words} · ${changed} changed: look`;
}

function Server({ server, isNew }: { server: KeptMcp; isNew: boolean }) {
  const line = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isNew) return;
    // The form that had the focus has disappeared, so the new server's line gets it.
    line.current?.scrollIntoView({ block: "center" });
    line.current?.focus({ preventScroll: true });
  }, [isNew]);
  const problem = useSignal<string | null>(null);
  const looking = useSignal(false);
  const sure = useSignal(false);
  const program = isProgram(server);
  const look = (write = false) => {
    looking.value = true;
    problem.value = null;
    lookAgain(server, write)
      .catch((error: unknown) => (problem.value = inWords(error).message))
      .finally(() => (looking.value = false));
  };
  return (
    <details
      class="mcp-server"
      onToggle={(event) => {
        // Opening the card must not start a program; only a button that says so does that.
        if (event.currentTarget.open && !looking.value && !program && !hasMoved(server)) look();
      }}
    >
      <summary ref={line}>
        <span>
          {server.name} <span class="muted">{mcpPlaceText(server)}</span>
          <br />
          <span class="muted">{countInWords(server)}</span>
        </span>
      </summary>
      <p class="muted" role="status">
        {looking.value ? "Asking it for its tools…" : ""}
      </p>
      <Problem words={problem.value} />
      {hasMoved(server) ? (
        <Moved server={server} />
      ) : (
        program && <AskProgram busy={looking.value} failed={problem.value !== null} ask={look} />
      )}
      <div class="buttons">
        <AllButton server={server} use="asked" words="Ask for each" />
        <AllButton server={server} use="off" words="All off" />
        <button
          type="button"
          class="button soft bad"
          onClick={() => {
            if (sure.value) void removeMcp(server);
            sure.value = true;
          }}
        >
          {sure.value ? "Remove it: tap again" : "Remove"}
        </button>
      </div>
      {server.tools.map((tool) => (
        <McpToolCard key={tool.name} server={server} tool={tool} />
      ))}
    </details>
  );
}

/** Shown if the edge's owner changed the server's address or command, or if the device stored none for it. */
function Moved({ server }: { server: KeptMcp }) {
  const isUnknown = server.at === undefined;
  return (
    <div class="mcp-moved">
      <p>
        <b>
          {isUnknown
            ? "Its address when you allowed its tools was not stored: review it again. Its tools are off."
            : "It has an address that you have not seen. Its tools are off."}
        </b>
      </p>
      <p>
        It is {isUnknown ? "" : "now "}at <code class="mcp-words">{mcpPlaceText(server)}</code>
      </p>
      <button type="button" class="button soft" onClick={() => void takeNewPlace(server)}>
        Use it there: ask me each time
      </button>
    </div>
  );
}

/** A program is never started as a side effect: this says first where it would run and with what access. */
function AskProgram({ busy, failed, ask }: { busy: boolean; failed: boolean; ask(write: boolean): void }) {
  const title = sessionForPrograms()?.title;
  return (
    <>
      <p class="muted">
        To look at its tools again it is started{title === undefined ? "" : ` in the sandbox of “${title}”`},
        read-only and without a network.
      </p>
      <div class="buttons">
        <button type="button" class="button soft" disabled={busy} onClick={() => ask(false)}>
          Start it, read-only
        </button>
        {failed && <StartWriting busy={busy} start={() => ask(true)} />}
      </div>
    </>
  );
}

function AllButton({ server, use, words }: { server: KeptMcp; use: McpUse; words: string }) {
  return (
    <button type="button" class="button soft" onClick={() => void useAll(server, use)}>
      {words}
    </button>
  );
}
