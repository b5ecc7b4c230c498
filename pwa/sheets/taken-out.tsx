// Files that the sandbox took out of the workspace after a command. A tap puts one back.
import { useEffect, useState } from "preact/hooks";
import type { TakenOutEntry } from "../../shared/taken-out.ts";
import { api, inWords } from "../app/app-state.ts";
import { momentInWords } from "../components/elapsed.tsx";
import { Problem } from "../components/problem.tsx";
import { oneLineOf } from "../components/shown-text.ts";

export function TakenOut({ sandboxId }: { sandboxId: string }) {
  const [entries, setEntries] = useState<readonly TakenOutEntry[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const failed = (error: unknown) => setProblem(inWords(error).message);
  const load = () => api.takenOut(sandboxId).then(({ entries }) => setEntries(entries), failed);
  useEffect(() => void load(), [sandboxId]);
  const putBack = async (id: string) => {
    setProblem(null);
    await api.putBack(sandboxId, id).catch(failed);
    await load();
  };
  if (entries.length === 0 && problem === null) return null;
  return (
    <section aria-label="Taken out of the workspace">
      <h3>Taken out of the workspace</h3>
      <p class="muted">
        Commands left these where git, editors or shells of your machine would run them. Look before you put
        one back.
      </p>
      <Problem words={problem} />
      {entries.map(({ id, path, why, at, yours, runs }) => (
        <div key={id} class="place">
          <p>
            <b>{oneLineOf(path)}</b>
            <br />
            <span class="muted">
              {yours ? "may be your own · " : ""}
              {why} · {momentInWords(at, Date.now())}
            </span>
            {runs !== undefined && (
              <>
                <br />
                <span class="bad">{runsInWords(runs)}</span>
              </>
            )}
          </p>
          <button
            type="button"
            class="button soft"
            aria-label={`Put ${path} back`}
            onClick={() => void putBack(id)}
          >
            Put back
          </button>
        </div>
      ))}
    </section>
  );
}

/** A warning before the tap: the person's own programs run such files outside of the jail. */
function runsInWords(runs: NonNullable<TakenOutEntry["runs"]>): string {
  const names = { git: "git", editor: "an editor, agent or shell" };
  return `Once it is back, ${runs.map((run) => names[run]).join(" and ")} may run what it says, outside the jail.`;
}
