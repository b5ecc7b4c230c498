// Chooses since when changes are shown: the session's beginning, its newest commit, or a step.
import type { OpenSession } from "../session/open-session.ts";
import { beginnings } from "./read-changes.ts";

/** The choice of all changes since the session began, offered once there is a commit. */
export const everything = "all";

/** Up to this many choices wrap, so that all of them are visible; more than that scroll sideways. */
const wrapped = 3;

export function SinceChoice({
  session,
  step,
  onStep,
}: {
  session: OpenSession;
  step: string | undefined;
  onStep(step: string | undefined): void;
}) {
  const steps = beginnings(session.state.value.head.plan);
  const { committed } = session.state.value.head;
  if (steps.length === 0 && committed === null) return null;
  const all = { words: "All", about: "Since the session began" };
  const choices = [
    ...(committed === null
      ? [{ ...all, stepId: undefined }]
      : [
          { stepId: undefined, words: "Since the commit", about: `Since the commit ${committed.hash}` },
          { ...all, stepId: everything },
        ]),
    ...steps,
  ];
  return (
    <div
      class={choices.length > wrapped ? "segments scrolls" : "segments whole"}
      role="radiogroup"
      aria-label="Changes since"
    >
      {choices.map(({ stepId, words, about }) => (
        <label key={words} class={stepId === step ? "on" : ""}>
          <input
            type="radio"
            name="since"
            aria-label={about}
            checked={stepId === step}
            onChange={() => onStep(stepId)}
          />
          {words}
        </label>
      ))}
    </div>
  );
}
