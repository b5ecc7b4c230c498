// The person's unsent edit of the active plan.
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { Draft } from "../storage/draft.ts";

/** The edited text of exactly this version, which is sent with the next request; undefined if there is none. */
export function keptEdit({ planEdit }: Draft, plan: Plan | null): string | undefined {
  return planEdit !== null && planEdit.hash === plan?.hash && planEdit.version === plan.version
    ? planEdit.markdown
    : undefined;
}
