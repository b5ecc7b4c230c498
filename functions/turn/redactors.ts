// What takes secrets out of the texts of a turn.
import { createRedactor, type Redactor } from "../../shared/redact/redactor.ts";
import type { Deps } from "../deps.ts";

export interface Redactors {
  /** Known forms, and our own secrets. */
  all: Redactor;
  /** Our own secrets and the person's key alone, which the sandbox does not know. */
  own: Redactor;
}

/** `apiKey`: the person's own, where their request brought one. `more`: tokens of theirs. */
export function redactorsOf(
  { secrets }: Pick<Deps, "secrets">,
  apiKey: string | undefined,
  more: readonly string[] = [],
): Redactors {
  const values = [...secrets, ...more, ...(apiKey ? [apiKey] : [])];
  return { all: createRedactor(values), own: createRedactor(values, "values") };
}
