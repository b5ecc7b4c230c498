// Describes in one sentence what a schema rejected: the field and the remedy. It reads zod's issues and never repeats a
// value.
import type * as z from "zod/mini";
import { isObject } from "./is-record.ts";

type Issue = z.core.$ZodIssue;

/**
 * Describes the first problem of `error`, naming its field below `root`. The parsed `value` is needed to tell a missing
 * field from one of the wrong type.
 */
export function describeProblem(
  error: Pick<z.core.$ZodError, "issues">,
  root = "body",
  value?: unknown,
): string {
  const issue = error.issues[0];
  if (!issue) return `${root}: not what was expected.`;
  const problem = describeIssue(issue, [root]);
  const missing = value !== undefined && issue.path.length > 0 && at(value, issue.path) === undefined;
  return missing ? problem.replace(": must be", ": missing; must be") : problem;
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? Reflect.get(inner, key) : undefined), value);
}

function describeIssue(issue: Issue, parents: readonly PropertyKey[]): string {
  const path = [...parents, ...issue.path];
  const field = fieldName(path);
  switch (issue.code) {
    case "unrecognized_keys":
      return `${field}: unknown field ${issue.keys.map((key) => `"${key}"`).join(", ")}; leave it out.`;
    case "invalid_type":
      return `${field}: must be ${article(issue.expected)}.`;
    case "invalid_value":
      return `${field}: must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}.`;
    case "too_small":
      return `${field}: must be ${issue.inclusive === false ? "more than" : "at least"} ${sized(issue.origin, issue.minimum)}.`;
    case "too_big":
      return `${field}: must be ${issue.inclusive === false ? "less than" : "at most"} ${sized(issue.origin, issue.maximum)}.`;
    case "invalid_union":
      return describeUnion(issue, path);
    case "invalid_key":
    case "invalid_element": {
      const inner = issue.issues[0];
      return inner ? describeIssue(inner, path) : `${field}: not what was expected.`;
    }
    default:
      // Schemas with their own check provide a message; zod/mini's default message says nothing.
      return `${field}: ${issue.message === "Invalid input" ? "not in the expected form" : issue.message}.`;
  }
}

function describeUnion(issue: z.core.$ZodIssueInvalidUnion, path: readonly PropertyKey[]): string {
  const options = "options" in issue && Array.isArray(issue.options) ? issue.options : [];
  if (issue.errors.length === 0 && options.length > 0) {
    return `${fieldName(path)}: must be ${options.map((option) => JSON.stringify(option)).join(" or ")}.`;
  }
  // For a union, the branch with the fewest problems is probably the intended one.
  const closest = [...issue.errors].sort((a, b) => a.length - b.length)[0]?.[0];
  return closest ? describeIssue(closest, path) : `${fieldName(path)}: not what was expected.`;
}

function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`,
    )
    .join("");
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function sized(origin: string, size: number | bigint): string {
  if (origin === "string") return `${size} characters long`;
  if (origin === "array" || origin === "set") return `${size} entries long`;
  return String(size);
}
