// What takes secrets out of the texts of a turn.
import { createRedactor, type Redactor } from "../../shared/redact/redactor.ts";
import type { Deps } from "../deps.ts";

export interface Redactors {
  /** Known forms, and our own secrets. */
  all: Redactor;
  /** Our own secrets and the person's key alone, which the sandbox does not know. */
  own: Redactor;
}

/** `apiKey`: the person's own, where their request brought one. */
export function redactorsOf({ secrets }: Pick<Deps, "secrets">, apiKey: string | undefined): Redactors {
  const values = apiKey ? [...secrets, apiKey] : secrets;
  return { all: createRedactor(values), own: createRedactor(values, "values") };
}
