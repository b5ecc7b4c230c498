// Settings: adds an MCP server by its address, as a program, or from the servers that the edge was started with.
import { useSignal } from "@preact/signals";
import { inWords } from "../app/app-state.ts";
import { addMcp, isProgram, sessionForPrograms } from "../app/mcp.ts";

interface OfServerProps {
  name: string;
  host: string;
  at: string | undefined;
  onDone(): void;
}

export function OfServer({ name, host, at, onDone }: OfServerProps) {
  const busy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const add = (write = false) => {
    busy.value = true;
    problem.value = null;
    addMcp({ name, at }, "", write)
      .then(onDone, (error: unknown) => (problem.value = inWords(error).message))
      .finally(() => (busy.value = false));
  };
  return (
    <div>
      <button type="button" class="button soft" disabled={busy.value} onClick={() => add()}>
        {busy.value ? "Asking it for its tools…" : `Use ${name} (${host})`}
      </button>
      {problem.value !== null && (
        <>
          <p class="problem" role="alert">
            {problem.value}
          </p>
          {isProgram({ name }) && (
            <div class="buttons">
              <StartWriting busy={busy.value} start={() => add(true)} />
            </div>
          )}
        </>
      )}
    </div>
  );
}

/**
 * Offered after the program could not be started read-only: `npx` has to download most programs first.
 */
export function StartWriting({ busy, start }: { busy: boolean; start(): void }) {
  return (
    <button type="button" class="button soft" disabled={busy} onClick={start}>
      Start it with the session's files and network
    </button>
  );
}

/** `onDone` gets the name of the server that was added; without a name nothing was added. */
export function AddServer({ onDone }: { onDone(name?: string): void }) {
  const [name, place, token] = [useSignal(""), useSignal(""), useSignal("")];
  const asProgram = useSignal(false);
  const busy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const add = (write = false) => {
    busy.value = true;
    problem.value = null;
    const where = { [asProgram.value ? "command" : "url"]: place.value.trim() };
    const called = name.value.trim();
    addMcp({ name: called, ...where }, asProgram.value ? "" : token.value.trim(), write)
      .then(
        () => onDone(called),
        (error: unknown) => (problem.value = inWords(error).message),
      )
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
        <Kind words="Over HTTP" on={!asProgram.value} pick={() => (asProgram.value = false)} />
        <Kind words="In the sandbox" on={asProgram.value} pick={() => (asProgram.value = true)} />
      </div>
      <Field words="Name: small letters, digits and hyphens" value={name} />
      {asProgram.value ? (
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
        <button type="button" class="button quiet" onClick={() => onDone()}>
          Cancel
        </button>
      </div>
      {problem.value !== null && (
        <p class="problem" role="alert" ref={intoSight}>
          {problem.value}
        </p>
      )}
      {asProgram.value && problem.value !== null && (
        <div class="buttons">
          <StartWriting busy={busy.value} start={() => add(true)} />
        </div>
      )}
    </form>
  );
}

/** `title` is that of the session in whose sandbox the program is asked. */
function programWords(title: string | undefined): string {
  const where =
    title === undefined
      ? ""
      : ` To list its tools it is started in the sandbox of “${title}”, read-only and without a network at first.`;
  return `Each call starts it in the session's sandbox, with the files and the network of that session, and ends it again.${where} Put no secret into the command, which is kept with the session: one that is recognised is refused. A server that needs a token has to have an address.`;
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

/** Scrolls to a refusal, which could be off the screen below the buttons. */
function intoSight(element: Element | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
