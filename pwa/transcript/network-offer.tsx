// Below a command or check that failed without a network: allows the network for this one or for the session, or
// declines for good.
import { useSignal } from "@preact/signals";
import type { OpenNetwork } from "../../shared/network.ts";
import { api, inWords } from "../app/app-state.ts";
import { Problem } from "../components/problem.tsx";
import { tell } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";

const done = {
  once: "The network is open for this command, once.",
  session: "The network is open for this session.",
  never: "The network stays closed, and you are not asked again.",
} as const;

interface NetworkOfferProps {
  command: string | undefined;
  /** The message to the agent once the network is allowed. */
  again: string;
  session: OpenSession;
}

export function NetworkOffer({ command, again, session }: NetworkOfferProps) {
  const problem = useSignal<string | null>(null);
  const chosen = useSignal<OpenNetwork["scope"] | null>(null);
  const busy = useSignal(false);
  const told = useSignal(false);
  const open = async (scope: OpenNetwork["scope"]) => {
    busy.value = true;
    problem.value = null;
    try {
      await api.openNetwork(session.record.value.sandboxId, { scope, ...(command && { command }) });
      chosen.value = scope;
    } catch (error) {
      problem.value = inWords(error).message;
    }
    busy.value = false;
  };
  if (!session.writes.value || command === undefined) return null;
  return (
    <div class="refused-hosts">
      <p role="status">
        {chosen.value === null
          ? "It needs the network, which commands do not have here. Allowed, it reaches package registries and the repository's own hosts."
          : done[chosen.value]}
      </p>
      {chosen.value === null && (
        <p class="host-choice">
          <button type="button" class="button soft" disabled={busy.value} onClick={() => void open("never")}>
            Never
          </button>
          <button
            type="button"
            class="button soft"
            disabled={busy.value}
            onClick={() => void open("session")}
          >
            This session
          </button>
          <button type="button" class="button soft" disabled={busy.value} onClick={() => void open("once")}>
            Allow network for this command
          </button>
        </p>
      )}
      {(chosen.value === "once" || chosen.value === "session") &&
        (told.value ? (
          <p class="muted">The agent is told to try again.</p>
        ) : (
          <p class="host-choice">
            <button
              type="button"
              class="button soft"
              onClick={() => {
                told.value = true;
                tell(session, again, {});
              }}
            >
              Retry
            </button>
          </p>
        ))}
      <Problem words={problem.value} />
    </div>
  );
}
