// The differences from the approved plan, first in words, then as text.
import { DiffText } from "../diff/diff-text.tsx";
import { WholeWords } from "../markdown/whole.tsx";

export function PlanChange({ change }: { change: { updates: string[]; diff: string } }) {
  return (
    <>
      <ul class="updates">
        {change.updates.map((update) => (
          <li key={update}>
            <WholeWords text={update} />
          </li>
        ))}
      </ul>
      <DiffText text={change.diff} brief />
    </>
  );
}
