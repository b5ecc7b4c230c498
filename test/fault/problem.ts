// What must never be, by name: a mutant is shown to be caught by the rule that it breaks, and not by an accident.

export type Rule =
  | "an effect happened twice"
  | "a durable event changed"
  | "a durable event was lost"
  | "a user message was lost"
  | "the model was paid too often"
  | "the history is invalid"
  | "the transcript differs"
  | "it hangs"
  | "it failed";

export interface Problem {
  rule: Rule;
  text: string;
}
