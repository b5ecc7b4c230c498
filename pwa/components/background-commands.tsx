// A session's background commands, each with buttons to end it and to keep it running after the turn.
import { useSignal } from "@preact/signals";
import type { BackgroundInfo } from "../../shared/background.ts";
import { factsOf } from "../../shared/session/call-facts.ts";
import { api, inWords } from "../app/app-state.ts";
import type { OpenSession } from "../session/open-session.ts";
import { oneLineOf } from "./shown-text.ts";

/** A key that changes with each result of a call that starts, reads or ends such a command. */
export function lastNews({ settled, outbox }: OpenSession): string {
  const last = settled.value.entries.at(-1);
  const runs = outbox.value.turn === null ? "" : "runs";
  if (last?.event !== "message" || last.data.message.role !== "tool") return runs;
  const { message } = last.data;
  const tells = message.name === "stop_command" || factsOf(message).background !== undefined;
  return tells ? `${runs} ${message.id}` : runs;
}

export function BackgroundCommands({
  session,
  commands,
}: {
  session: OpenSession;
  commands: readonly BackgroundInfo[];
}) {
  /** The person's own actions here, shown until the server's next answer includes them. */
  const done = useSignal<Record<string, "ended" | "kept">>({});
  const problem = useSignal<string | null>(null);
  const act = async (id: string, what: "ended" | "kept") => {
    const path = `/sandboxes/${session.record.value.sandboxId}/background/${id}`;
    problem.value = null;
    try {
      await api.send(path, { method: what === "kept" ? "POST" : "DELETE" });
      done.value = { ...done.value, [id]: what };
    } catch (error) {
      problem.value = inWords(error).message;
    }
  };
  const shown = commands.filter(({ id }) => done.value[id] !== "ended");
  if (shown.length === 0) return null;
  return (
    <section class="notice stacked" aria-label="In the background">
      {problem.value !== null && <span class="problem">{problem.value}</span>}
      {shown.map(({ id, command, ports = [], kept }) => {
        const stays = kept || done.value[id] === "kept";
        const listens = ports.length === 0 ? "" : `, port ${ports.join(", ")}`;
        return (
          <div key={id}>
            <span>
              In the background{listens}: <code>{oneLineOf(command)}</code>.{" "}
              {stays ? "It continues after the turn." : "It ends with the turn."}
            </span>
            <span class="notice-actions">
              {!stays && (
                <button type="button" class="text-button" onClick={() => void act(id, "kept")}>
                  Keep it
                </button>
              )}
              <button type="button" class="text-button" onClick={() => void act(id, "ended")}>
                Stop it
              </button>
            </span>
          </div>
        );
      })}
    </section>
  );
}
