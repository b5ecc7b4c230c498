// One update of a plan before it is applied: its normal form, its problems, and its size limit. It changes no plan.
import { deltaText } from "./blocks.ts";
import { buildCheck, buildStep, textLines } from "./plan-body.ts";
import { hiddenCommandProblem, planCommandsOf } from "./plan-commands.ts";
import type { AddedStep, Plan, PlanDelta, StepChange } from "./plan-file.ts";
import { fewLines, freeId, oneLine, plainId } from "./plan-lines.ts";
import { countScalars, cutToCap, wellFormed } from "./scalars.ts";

type DeltaInput = {
  note?: string | undefined;
  goal?: string | undefined;
  steps?: StepChange[] | undefined;
  addSteps?: AddedStep[] | undefined;
  removeSteps?: string[] | undefined;
};

/** The update in normal form: plain ids, texts on one line, new steps with ids, no empty lists and no blank texts. */
export function normaliseDelta(plan: Plan, args: DeltaInput): PlanDelta {
  const taken = new Set(plan.steps.map((step) => step.id));
  for (const delta of plan.deltas) for (const id of delta.removeSteps ?? []) taken.add(id);
  const given = (args.addSteps ?? []).map((step) => plainId(step.id ?? ""));
  for (const id of given) taken.add(id);
  const addSteps = (args.addSteps ?? []).map((step, index) => {
    const id = given[index] || freeId("s", taken, plan.steps.length + 1);
    taken.add(id);
    const after = plainId(step.after ?? "");
    return { ...buildStep(step, id), ...(after === "" ? {} : { after }) };
  });
  const steps = (args.steps ?? []).map(normaliseChange);
  const removeSteps = (args.removeSteps ?? []).map(plainId).filter((id) => id !== "");
  const note = wellFormed(args.note ?? "").trim();
  const goal = fewLines(args.goal ?? "", 2);
  return {
    seq: (plan.deltas.at(-1)?.seq ?? 0) + 1,
    ...(note === "" ? {} : { note }),
    ...(goal === "" || goal === plan.goal ? {} : { goal }),
    ...(steps.length > 0 ? { steps } : {}),
    ...(addSteps.length > 0 ? { addSteps } : {}),
    ...(removeSteps.length > 0 ? { removeSteps } : {}),
  };
}

function normaliseChange({
  id,
  status,
  description,
  note,
  checkpoint,
  onFail,
  ...lists
}: StepChange): StepChange {
  const { actions, preconditions, postconditions } = lists;
  return {
    id: plainId(id),
    ...(status === undefined ? {} : { status }),
    ...(description === undefined ? {} : { description: oneLine(description) }),
    ...(note === undefined ? {} : { note: oneLine(note) }),
    ...(actions === undefined ? {} : { actions: textLines(actions) }),
    ...(preconditions === undefined ? {} : { preconditions: textLines(preconditions) }),
    ...(postconditions === undefined ? {} : { postconditions: textLines(postconditions) }),
    ...(checkpoint === undefined ? {} : { checkpoint: buildCheck(checkpoint) }),
    ...(onFail === undefined ? {} : { onFail }),
  };
}

/** What is wrong with a normalised update, in words for the model; undefined if it can be applied. */
export function deltaProblem(
  plan: Plan,
  { note, goal, steps = [], addSteps = [], removeSteps = [] }: PlanDelta,
): string | undefined {
  if ((note ?? goal) === undefined && steps.length + addSteps.length + removeSteps.length === 0) {
    return "nothing to update: give note, goal, steps, addSteps or removeSteps";
  }
  const byId = new Map(plan.steps.map((step) => [step.id, step]));
  const added = addSteps.map((step) => step.id ?? "");
  const after = addSteps.flatMap((step) => step.after ?? []);
  const unknown = [
    ...steps.map((change) => change.id).filter((id) => !byId.has(id)),
    ...removeSteps.filter((id) => !byId.has(id)),
    ...after.filter((id) => !byId.has(id) && !added.includes(id)),
  ];
  if (unknown.length > 0) {
    const known = byId.size > 0 ? `the plan has ${[...byId.keys()].join(", ")}` : "the plan has no steps yet";
    return `unknown step ${[...new Set(unknown)].join(", ")}; ${known}`;
  }
  const twice = added.find(
    (id, index) => added.indexOf(id) !== index || (byId.has(id) && !removeSteps.includes(id)),
  );
  if (twice !== undefined) return `the step id ${twice} is taken; leave out the id of a new step`;
  const blank =
    steps.find((change) => change.description === "") ?? addSteps.find((step) => step.description === "");
  if (blank) return `step ${blank.id} would have no description`;
  const hidden = hiddenCommandProblem(
    planCommandsOf({
      steps: [...steps, ...addSteps].map(({ id = "", checkpoint = null }) => ({ id, checkpoint })),
      checkpoints: [],
    }),
  );
  if (hidden !== undefined) return hidden;
  const kept = removeSteps
    .map((id) => byId.get(id))
    .find((step) => step?.status === "active" || step?.status === "done");
  if (kept)
    return `step ${kept.id} is ${kept.status} and stays in the plan; only steps not begun, failed or skipped can be removed`;
  return undefined;
}

export type CutDelta =
  | { ok: true; delta: PlanDelta; truncated?: { kept: number; of: number } }
  | { ok: false; problem: string };

/**
 * The update, with its longest prose cut so that `deltaText` has at most `cap` scalars. Commands are never cut: an
 * update that is too long even without its prose is a problem.
 */
export function cutDelta(delta: PlanDelta, cap: number): CutDelta {
  const over = countScalars(deltaText(delta)) - cap;
  if (over <= 0) return { ok: true, delta };
  const proses = prosesOf(delta);
  const longest = proses.reduce((best, prose) => (prose.text.length > best.text.length ? prose : best), {
    text: "",
    set: () => delta,
  });
  const cut = cutToCap(longest.text, countScalars(longest.text) - over);
  const shorter = longest.set(cut.text);
  if (!cut.truncated || countScalars(deltaText(shorter)) > cap) {
    return {
      ok: false,
      problem: `the update has ${over + cap} characters, at most ${cap}; send it in smaller parts`,
    };
  }
  return { ok: true, delta: shorter, truncated: cut.truncated };
}

/** A text of an update that may be cut, and a function that returns the update with another text in its place. */
interface Prose {
  text: string;
  set(text: string): PlanDelta;
}

function prosesOf(delta: PlanDelta): Prose[] {
  const { note, steps = [], addSteps = [] } = delta;
  return [
    ...(note === undefined ? [] : [{ text: note, set: (text: string) => ({ ...delta, note: text }) }]),
    ...steps.flatMap((change, at) => [
      ...(change.description === undefined
        ? []
        : [
            proseOf(change.description, (description) => ({
              ...delta,
              steps: steps.with(at, { ...change, description }),
            })),
          ]),
      ...(change.note === undefined
        ? []
        : [proseOf(change.note, (text) => ({ ...delta, steps: steps.with(at, { ...change, note: text }) }))]),
    ]),
    ...addSteps.map((step, at) =>
      proseOf(step.description, (description) => ({
        ...delta,
        addSteps: addSteps.with(at, { ...step, description }),
      })),
    ),
  ];
}

/** Prose of a step stays on one line, including its truncation marker. */
function proseOf(text: string, set: (text: string) => PlanDelta): Prose {
  return { text, set: (shorter) => set(oneLine(shorter)) };
}
