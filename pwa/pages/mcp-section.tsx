// Settings: MCP servers, their tools with the whole text that the model reads, and what the model may do with each.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { McpUse } from "../../shared/mcp.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { inWords } from "../app/app-state.ts";
import {
  addMcp,
  type KeptMcp,
  loadMcp,
  lookAgain,
  mcpOfServer,
  mcpServers,
  mcpTokensLast,
  placeOf,
  removeMcp,
  sessionForPrograms,
  useAll,
} from "../app/mcp.ts";
import { McpToolCard } from "./mcp-tool-card.tsx";
import { SettingsSection } from "./settings-section.tsx";
import "../styles/mcp.css";

export function McpSection() {
  const adding = useSignal(false);
  useEffect(() => {
    void loadMcp().catch(() => undefined);
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
      {kept.length === 0 && <p class="muted">None is set up here.</p>}
      {kept.map((server) => (
        <Server key={server.name} server={server} />
      ))}
      {offered.map(({ name, host }) => (
        <OfServer key={name} name={name} host={host} />
      ))}
      {adding.value ? (
        <AddServer onDone={() => (adding.value = false)} />
      ) : (
        <button type="button" class="button soft" onClick={() => (adding.value = true)}>
          Add a server
        </button>
      )}
    </SettingsSection>
  );
}

function countInWords({ tools }: KeptMcp): string {
  const changed = tools.filter((tool) => "now" in tool && tool.use !== "off").length;
  const used = tools.filter((tool) => tool.use !== "off" && !("now" in tool)).length;
  const words = `${used} of ${plural(tools.length, "tool")} in use`;
  return changed === 0 ? words : `${words} · ${changed} changed: look`;
}

function Server({ server }: { server: KeptMcp }) {
  const problem = useSignal<string | null>(null);
  const looking = useSignal(false);
  const sure = useSignal(false);
  const look = () => {
    looking.value = true;
    problem.value = null;
    lookAgain(server)
      .catch((error: unknown) => (problem.value = inWords(error).message))
      .finally(() => (looking.value = false));
  };
  return (
    <details
      class="mcp-server"
      onToggle={(event) => {
        if (event.currentTarget.open && !looking.value) look();
      }}
    >
      <summary>
        <span>
          {server.name} <span class="muted">{placeOf(server)}</span>
          <br />
          <span class="muted">{countInWords(server)}</span>
        </span>
      </summary>
      <p class="muted" role="status">
        {looking.value ? "Asking it for its tools…" : ""}
      </p>
      {problem.value !== null && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
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

function AllButton({ server, use, words }: { server: KeptMcp; use: McpUse; words: string }) {
  return (
    <button type="button" class="button soft" onClick={() => void useAll(server, use)}>
      {words}
    </button>
  );
}

function OfServer({ name, host }: { name: string; host: string }) {
  const problem = useSignal<string | null>(null);
  return (
    <div>
      <button
        type="button"
        class="button soft"
        onClick={() => {
          addMcp({ name }, "").catch((error: unknown) => (problem.value = inWords(error).message));
        }}
      >
        Use {name} ({host})
      </button>
      {problem.value !== null && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
    </div>
  );
}

function AddServer({ onDone }: { onDone(): void }) {
  const [name, place, token] = [useSignal(""), useSignal(""), useSignal("")];
  const isProgram = useSignal(false);
  const busy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const add = () => {
    busy.value = true;
    problem.value = null;
    const where = { [isProgram.value ? "command" : "url"]: place.value.trim() };
    addMcp({ name: name.value.trim(), ...where }, isProgram.value ? "" : token.value.trim())
      .then(onDone, (error: unknown) => (problem.value = inWords(error).message))
      .finally(() => (busy.value = false));
  };
  return (
    <form
      class="mcp-add"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <div class="segments" role="radiogroup" aria-label="Where the server is">
        <Kind words="Over HTTP" on={!isProgram.value} pick={() => (isProgram.value = false)} />
        <Kind words="In the sandbox" on={isProgram.value} pick={() => (isProgram.value = true)} />
      </div>
      <Field words="Name: small letters, digits and hyphens" value={name} />
      {isProgram.value ? (
        <>
          <Field words="Command that starts it" value={place} />
          <p class="muted">
            For example <code>npx -y @modelcontextprotocol/server-filesystem .</code>
          </p>
          <p class="muted">{programWords(sessionForPrograms()?.title)}</p>
        </>
      ) : (
        <>
          <Field words="Address (streamable HTTP)" value={place} />
          <Field words="Token, or a whole header (Name: value), if it needs one" value={token} secret />
        </>
      )}
      <div class="buttons">
        <button
          type="submit"
          class="button go"
          disabled={busy.value || name.value.trim() === "" || place.value.trim() === ""}
        >
          {busy.value ? "Asking it for its tools…" : "Add"}
        </button>
        <button type="button" class="button quiet" onClick={onDone}>
          Cancel
        </button>
      </div>
      {problem.value !== null && (
        <p class="problem" role="alert" ref={intoSight}>
          {problem.value}
        </p>
      )}
    </form>
  );
}

/** `title`: of the session in whose sandbox it is asked. */
function programWords(title: string | undefined): string {
  const where = title === undefined ? "" : ` Its tools are listed in the sandbox of “${title}”.`;
  return `Each call starts it in the session's sandbox, with the files and the network of that session, and ends it again.${where} Put no secret into the command: it is kept with the session. A server that needs a token has to have an address.`;
}

function Kind({ words, on, pick }: { words: string; on: boolean; pick(): void }) {
  return (
    <label class={on ? "on" : ""}>
      <input type="radio" name="mcp-kind" checked={on} onChange={pick} />
      {words}
    </label>
  );
}

interface FieldProps {
  words: string;
  value: { value: string };
  secret?: boolean;
}

function Field({ words, value, secret = false }: FieldProps) {
  return (
    <label class="field">
      <span class="muted">{words}</span>
      <input
        class="answer-text"
        {...(secret && { type: "password" as const })}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
    </label>
  );
}

/** Below the buttons, a refusal could be out of sight. */
function intoSight(element: Element | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
