// Another model's opinion, in the sheet of a waiting plan. A tap turns one of its points into a comment.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { stepNumber } from "../../shared/plan/steps.ts";
import type { OpinionPoint } from "../../shared/second-opinion.ts";
import {
  asking,
  askOpinion,
  commentWithout,
  opinionOn,
  reviewerOf,
  takeBack,
  takeOver,
} from "../app/second-opinion.ts";
import { WholeWords } from "../markdown/whole.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { dollars } from "../words/model-words.ts";

export function SecondOpinion({ session, plan }: { session: OpenSession; plan: Plan }) {
  const reviewer = reviewerOf(session);
  const opinion = opinionOn(session, plan);
  const now = asking.value.get(plan.hash);
  if (opinion === undefined) {
    if (reviewer === undefined) return null;
    const waits = now !== undefined && now.problem === undefined;
    return (
      <section>
        <h4>Second opinion</h4>
        <button
          type="button"
          class="button soft"
          disabled={waits}
          onClick={() => void askOpinion(session, plan)}
        >
          {waits ? `Asking ${reviewer.id}…` : `Ask ${reviewer.id} to review it`}
        </button>
        {now?.problem !== undefined && (
          <p class="problem" role="alert">
            {now.problem}
          </p>
        )}
      </section>
    );
  }
  const { said } = opinion;
  return (
    <section aria-label="Second opinion">
      <h4>Second opinion</h4>
      <p class="muted">
        {said.model.id}
        {said.cost !== undefined && ` · ${dollars(said.cost)}`}
        {said.points.length === 0 && " has nothing to object to."}
      </p>
      <ul class="opinion">
        {said.points.map((point, index) => (
          <li key={index}>
            <p>
              <b>{aboutIt(plan, point)}:</b> <WholeWords text={point.text} />
            </p>
            <Decide session={session} plan={plan} point={point} index={index} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface DecideProps {
  session: OpenSession;
  plan: Plan;
  point: OpinionPoint;
  index: number;
}

function Decide({ session, plan, point, index }: DecideProps) {
  const isTaken = opinionOn(session, plan)?.taken.includes(index) === true;
  if (isTaken && commentWithout(session, plan, point) === undefined)
    return <p class="muted">Accepted and changed by you: your comment is sent with your decision</p>;
  return (
    <>
      {isTaken && <p class="muted">Accepted: sent with your decision</p>}
      <button
        type="button"
        class="text-button"
        onClick={() => (isTaken ? takeBack : takeOver)(session, plan, index, point)}
      >
        {isTaken ? "Remove" : "Accept"}
      </button>
    </>
  );
}

function aboutIt(plan: Plan, { stepId }: OpinionPoint): string {
  return stepId === undefined ? "The whole plan" : `Step ${stepNumber(plan, stepId)}`;
}
