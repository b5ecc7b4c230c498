// Names of the files in which plans are saved into a repository. Pure.
import type { Plan } from "../../shared/plan/plan-file.ts";

const maxTitleChars = 50;
const tries = 9;

/** `plans/2026-11-23-limit-per-token.md`, then with `-2` and so on for a name that is taken. */
export function planFileNames({ goal }: Pick<Plan, "goal">, now: Date): string[] {
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
  const title = (goal.split("\n")[0] ?? "")
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxTitleChars)
    .replace(/^-+|-+$/g, "");
  const name = `plans/${day}-${title || "plan"}`;
  return Array.from({ length: tries }, (_, at) => `${name}${at === 0 ? "" : `-${at + 1}`}.md`);
}
