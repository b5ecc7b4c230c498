// The model proposes to plan before it begins. The person chooses between two buttons, and until then nothing happens.
import { planFirstAnswer, planFirstQuestion } from "../../shared/plan/plan-first.ts";
import type { AskedQuestions } from "../session/answers.ts";
import type { OpenSession } from "../session/open-session.ts";

export function PlanFirst({ session, asked }: { session: OpenSession; asked: AskedQuestions }) {
  const choose = (raw: string) => {
    const answers = [{ id: planFirstQuestion.id, raw }];
    session.send({ type: "answers", toolCallId: asked.toolCallId, answers, run: false });
  };
  return (
    <section class="plan-first" aria-labelledby="plan-first">
      <h2 id="plan-first">Plan first?</h2>
      <p class="muted">It would read, and change nothing until you approve its plan.</p>
      <div class="actions">
        <button type="button" class="button quiet" onClick={() => choose(planFirstAnswer.justDo)}>
          Just do it
        </button>
        <button type="button" class="button plan grow" onClick={() => choose(planFirstAnswer.plan)}>
          Plan first
        </button>
      </div>
    </section>
  );
}
