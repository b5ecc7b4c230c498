// For an agent that asked for a pull request when one is already open: the person lets it take over the agent's title
// and text or leaves it unchanged, and the agent is told.
import type { PullRequest } from "../../shared/forge.ts";
import { plural } from "../../shared/session/session-summary.ts";
import type { AtRemote } from "../app/delivery.ts";
import { changePull } from "../app/forge.ts";
import { oneLineOf } from "../components/shown-text.ts";
import { delivered } from "../session/deliver.ts";
import type { OpenSession } from "../session/open-session.ts";

interface AskedPullProps {
  session: OpenSession;
  pull: PullRequest;
  /** Written by the agent. */
  drafted: { title?: string; text?: string };
  at: AtRemote;
  /** Commits that are not at the forge yet. */
  unpushed: number;
  may: boolean;
  onChanged(): Promise<void>;
  run(what: string, work: () => Promise<unknown>): Promise<unknown>;
}

export function AskedPull({ session, pull, drafted, at, unpushed, may, onChanged, run }: AskedPullProps) {
  const { number, url } = pull;
  const { title = "", text = "" } = drafted;
  const tell = (done: string) => {
    const open = `pull request #${number} of this branch was open already: ${url}. ${done}`;
    const more = unpushed > 0 ? ` ${plural(unpushed, "commit")} of the branch are not pushed yet.` : "";
    delivered(session, "pull_request", `${open}${more}`);
  };
  const update = () =>
    run("change", async () => {
      const { sandboxId } = session.record.value;
      const change = {
        ...(title !== "" && { title: title.slice(0, 250) }),
        ...(text !== "" && { body: text }),
      };
      await changePull(sandboxId, { number, ...change }, at);
      tell("It has the title and text that you drafted now.");
      await onChanged();
    });
  return (
    <div class="pull-asked" role="status">
      <p>The agent asks for a pull request. This one is open already.</p>
      {title !== "" && (
        <p>
          Its draft: <b>{oneLineOf(title)}</b>
          {text !== "" && <span class="pull-text">{text}</span>}
        </p>
      )}
      <div class="actions">
        <button
          type="button"
          class="button quiet"
          disabled={!may}
          onClick={() => tell("Its title and text stay as they are.")}
        >
          Keep it as it is
        </button>
        {title !== "" && (
          <button type="button" class="button soft grow" disabled={!may} onClick={() => void update()}>
            Use the agent's words
          </button>
        )}
      </div>
    </div>
  );
}
