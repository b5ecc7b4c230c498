// Findings about git commands, and how their reasons name a part of the command.
import { asCode } from "../../shared/as-code.ts";
import type { Finding } from "./finding.ts";
import type { Word } from "./shell-word.ts";

/** `words` after `git`, as code. */
export function git(words: string): string {
  return asCode(`git ${words}`);
}

export function loses(subcommand: string, why: string): Finding {
  return { risk: "destructive", why, subcommand };
}

/** The command that would run is unknown, so it may reach out; a grant covers only the same words. */
export function unknown(subcommand: string, why: string, words: readonly Word[]): Finding {
  const text = words.map((word) => word.text).join(" ");
  return { risk: "destructive", unknown: true, why, subcommand: `${subcommand} ${text}`.trim() };
}
