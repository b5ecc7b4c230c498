// On the card of a command: the hosts that it could not reach, why, and a button that allows each.
import { type Signal, signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { AllowedHost, AllowHost, RefusedHost } from "../../shared/network.ts";
import { api, inWords } from "../app/app-state.ts";
import { Problem } from "../components/problem.tsx";
import { tell } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { hostAllowed } from "../words/told-words.ts";

type Scope = AllowHost["scope"];

/**
 * The permissions according to the server. They are fetched when the first such card is seen, and updated by each tap.
 */
const allowedIn = new WeakMap<OpenSession, Signal<Record<string, Scope>>>();

function allowedOf(session: OpenSession): Signal<Record<string, Scope>> {
  const known = allowedIn.get(session);
  if (known) return known;
  const made = signal<Record<string, Scope>>({});
  allowedIn.set(session, made);
  void refreshAllowed(session);
  return made;
}

/**
 * Asks the server again after a permission was taken back elsewhere. If it does not answer, the buttons are shown:
 * allowing a host twice does no harm.
 */
export async function refreshAllowed(session: OpenSession): Promise<void> {
  const allowed = allowedIn.get(session);
  const { sandboxId } = session.record.value;
  if (!allowed || sandboxId === "") return;
  const { hosts = [] } = await api.sandbox(sandboxId).catch((): { hosts?: AllowedHost[] } => ({}));
  allowed.value = scopesOf(hosts);
}

function scopesOf(hosts: readonly AllowedHost[]): Record<string, Scope> {
  return Object.fromEntries(hosts.map(({ host, scope }) => [host, scope]));
}

const whyNot = {
  private_address: "is on the server's machine or its network, which commands can never reach.",
  another_name: "was requested by a connection that does not name it, which is never allowed.",
} as const;

interface RefusedHostsProps {
  hosts: readonly RefusedHost[];
  /** The message to the agent once a host is allowed. */
  again: string;
  session: OpenSession;
}

export function RefusedHosts({ hosts, again, session }: RefusedHostsProps) {
  return (
    <ul class="refused-hosts">
      {hosts.map(({ host, reason }) => (
        <li key={host}>
          {reason === "not_allowed" ? (
            <Closed host={host} again={again} session={session} />
          ) : (
            <p class="muted">
              <code class="refused-host">{host}</code> {whyNot[reason]}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The proxy wrote these host names. One in which a secret was redacted does not match and cannot be allowed. */
const allowable = /^[a-z0-9._[\]:-]+$/;

interface ClosedProps {
  host: string;
  again: string;
  session: OpenSession;
}

function Closed({ host, again, session }: ClosedProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const allowed = allowedOf(session);
  const scope = allowed.value[host];
  const allow = (wanted: Scope) => {
    setBusy(true);
    api.allowHost(session.record.value.sandboxId, { host, scope: wanted }).then(
      ({ hosts }) => {
        setProblem(null);
        setBusy(false);
        // Use the spelling of the card, which may differ from the server's.
        allowed.value = { [host]: wanted, ...scopesOf(hosts) };
      },
      (error: unknown) => {
        setProblem(inWords(error).message);
        setBusy(false);
      },
    );
  };
  const { writes } = session;
  if (scope !== undefined) return <Allowed host={host} scope={scope} again={again} session={session} />;
  return (
    <>
      <p>
        Handrail kept this command from reaching <code class="refused-host">{host}</code>
      </p>
      {writes.value && allowable.test(host) && (
        <p class="host-choice">
          <button
            type="button"
            class="button soft"
            aria-label={`Allow ${host} for this session`}
            disabled={busy}
            onClick={() => allow("session")}
          >
            This session
          </button>
          <button
            type="button"
            class="button soft"
            aria-label={`Allow ${host} once`}
            disabled={busy}
            onClick={() => allow("once")}
          >
            Allow once
          </button>
        </p>
      )}
      <Problem words={problem} />
    </>
  );
}

function Allowed({ host, scope, again, session }: ClosedProps & { scope: Scope }) {
  const [told, setTold] = useState(false);
  const until = scope === "once" ? "for the next command" : "for this session";
  return (
    <>
      <p role="status">
        Allowed {until}: <code class="refused-host">{host}</code>
      </p>
      {told ? (
        <p class="muted">The agent is told to try again.</p>
      ) : (
        <p class="host-choice">
          <button
            type="button"
            class="button soft"
            aria-label={`Tell the agent to try ${host} again`}
            onClick={() => {
              setTold(true);
              tell(session, hostAllowed(host, until, again), {});
            }}
          >
            Retry
          </button>
        </p>
      )}
    </>
  );
}
