// Maps the steps of an approved plan to the script's pieces of work, first by id and then by their words. Keeps no
// state.
import type { DemoConversation } from "./conversation.ts";
import { draft, isOwnPlan, plannedWindow } from "./draft.ts";
import { defaultWindow, type LimitWindow, madeWindow } from "./limit-windows.ts";
import { scriptedWork, type Work } from "./work.ts";

export interface PlannedStep {
  id: string;
  description: string;
  /** Undefined if the script does not know the step. */
  work: Work | undefined;
  /** Whether the person changed the step's words. */
  reworded: boolean;
}

const marks: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** The steps `1. [s1] text` of the plan in a block. */
export function stepsOf(conversation: DemoConversation, block: string): PlannedStep[] {
  const found = [...block.matchAll(/^\d+[.)] \[([^\]\s]+)\] (.+)$/gm)].map(([, id = "", text = ""]) => ({
    id,
    description: text.replace(/&(?:amp|lt|gt);/g, (mark) => marks[mark] ?? mark),
  }));
  // Ids count only in the script's own plan: in another model's plan, s1 is different work.
  const own = isOwnPlan(conversation);
  const ids = found.map(({ id }) => id);
  const patches = conversation.calls.filter(({ name }) => name === "update_plan").map(({ args }) => args);
  const written = [draft, ...patches].map((args) => JSON.stringify(args));
  return found.map((step, place) => {
    const words = JSON.stringify(step.description).slice(1, -1);
    return {
      ...step,
      work: own ? ownWork(step, place, ids) : namedWork(step.description),
      reworded: own && !written.some((args) => args.includes(words)),
    };
  });
}

type PlannedName = Pick<PlannedStep, "id" | "description">;

/**
 * The piece of work of a step, found by its id. A step that lost its id is recognised by the file that it names, or by
 * its position in a plan of the same length.
 */
function ownWork({ id, description }: PlannedName, place: number, ids: readonly string[]): Work | undefined {
  const byId = scriptedWork[draft.steps.findIndex((step) => step.id === id)];
  if (byId !== undefined) return byId;
  const free = draft.steps.flatMap((step, index) => (ids.includes(step.id) ? [] : [scriptedWork[index]]));
  const byPlace = ids.length === draft.steps.length ? scriptedWork[place] : undefined;
  return [namedWork(description), byPlace].find((work) => work !== undefined && free.includes(work));
}

function namedWork(description: string): Work | undefined {
  return scriptedWork.find(({ path }) => description.includes(path));
}

/** The window that the approved steps name, or the planned one if the person's words name none. */
export function windowOf(conversation: DemoConversation, steps: readonly PlannedStep[]): LimitWindow {
  const named = madeWindow(steps.map(({ description }) => description).join("\n"));
  return named ?? plannedWindow(conversation) ?? defaultWindow;
}
