// A session without messages: shows its repository and three ways to begin.
import { config } from "../app/app-state.ts";
import { askedForGoal, say } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { focusComposer } from "./composer.tsx";

const samplePrompts = [
  "/plan Limit each token to 100 requests a minute. Keep the per-IP limit.",
  "Fix the failing test",
  "Explain how this project is built",
];
const folderPrompts = [
  "Explain how this project is built",
  "/plan Find a failing test and fix it",
  "/plan Tidy the part that is hardest to read",
];

export function EmptySession({ session }: { session: OpenSession }) {
  const { workspace, demo, git } = session.record.value;
  // A cloned repository is the person's own work and never the sample.
  const sample = config.value?.workspace?.kind === "sample" && git === undefined;
  const asks = askedForGoal.value === session.record.value.id;
  return (
    <div class="empty">
      <h2>{asks ? "What should be planned?" : "What should be done?"}</h2>
      <p class="muted">
        {sample ? "A fresh copy of the sample project: nothing can break here." : `In ${workspace}.`}
        {demo && " A scripted demo plays the model: it shows how a session goes, but knows only one task."}
      </p>
      {!asks && (
        <ul class="prompts">
          {(sample ? samplePrompts : folderPrompts).map((prompt) => (
            <li key={prompt}>
              <button
                type="button"
                onClick={() => {
                  if (demo) say(session, prompt);
                  else {
                    session.setDraft({ text: prompt });
                    focusComposer.value += 1;
                  }
                }}
              >
                {prompt.startsWith("/plan ") ? (
                  <>
                    <span class="plan-word">Plan</span> {prompt.slice(6)}
                  </>
                ) : (
                  prompt
                )}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
