// The forbidden outcomes, by name: a mutant must be detected by the rule that it breaks, not by accident.

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
