// The person's unsent edit of a plan, shown like any other plan. Loaded, with the parser, only if there is one.
import { useMemo } from "preact/hooks";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { InlineCode } from "../components/inline-code.tsx";
import { PlanBody } from "./plan-body.tsx";
import { readEdit } from "./read-edit.ts";

export function EditedPlan({ before, markdown }: { before: Plan; markdown: string }) {
  const read = useMemo(() => readEdit(before, markdown), [before, markdown]);
  if (read.ok) return <PlanBody plan={read.plan} />;
  return (
    <p class="bad">
      <InlineCode text={read.problem} />
    </p>
  );
}
