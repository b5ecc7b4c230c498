// Describes arguments that do not match their schema, for the model that sent them.
import type * as z from "zod/mini";

/** At most three problems on one line, each with the path of its field. */
export function argsProblem(error: z.core.$ZodError): string {
  return error.issues.slice(0, 3).map(issueWords).join("; ");
}

function issueWords(issue: z.core.$ZodIssue): string {
  const where = issue.path.length > 0 ? `\`${issue.path.join(".")}\` ` : "the arguments ";
  if (issue.code === "invalid_type") return `${where}must be ${kindWords[issue.expected] ?? issue.expected}`;
  if (issue.code === "invalid_value") return `${where}must be one of ${issue.values.join(", ")}`;
  if (issue.code === "invalid_union") return `${where}has none of the forms allowed there`;
  return `${where}is not accepted: ${issue.message}`;
}

const kindWords: Record<string, string> = {
  string: "text",
  array: "a list",
  object: "an object",
  number: "a number",
  boolean: "true or false",
};
