// Slash commands of the composer: which there are, and what a typed line means.
import * as z from "zod/mini";
import { Mode } from "../../shared/mode.ts";
import { modeMeanings } from "../words/mode-words.ts";

export interface CommandHint {
  /** What a tap puts into the composer. */
  insert: string;
  label: string;
  meaning: string;
  /** Commands of one group follow each other; files have none. */
  group?: "plan" | "mode" | "session";
}

/** What a command opens: each has its place in `pwa/session/openings.ts`. */
const openings = {
  undo: "files back to before a step or a message",
  diff: "what changed in the files",
  files: "the files of the workspace",
  model: "which model answers next",
  export: "this session as a file",
  help: "commands and keys",
} as const;
export type SheetCommand = keyof typeof openings;

function opened(name: string | undefined): SheetCommand | undefined {
  // The first name of /diff; fingers remember.
  if (name === "changes") return "diff";
  return Object.keys(openings).find((key): key is SheetCommand => key === name);
}

export const hints: readonly CommandHint[] = [
  { insert: "/plan", label: "/plan", meaning: "plan from the current state", group: "plan" },
  { insert: "/plan ", label: "/plan goal", meaning: "plan for a goal", group: "plan" },
  ...(["plan", "normal", "auto"] as const).map((mode): CommandHint => {
    const insert = `/mode ${mode}`;
    return { insert, label: insert, meaning: modeMeanings[mode], group: "mode" };
  }),
  { insert: "/stop", label: "/stop", meaning: "stop the running turn", group: "session" },
  ...Object.entries(openings).map(
    ([name, meaning]): CommandHint => ({
      insert: `/${name}`,
      label: `/${name}`,
      meaning,
      group: "session",
    }),
  ),
];

/** Commands that begin as `text` does; none unless it is one line that begins with a slash. */
export function commandHints(text: string): CommandHint[] {
  if (!text.startsWith("/") || text.includes("\n")) return [];
  return hints.filter((hint) => hint.insert.startsWith(text) && hint.insert !== text.trimEnd());
}

export type SlashCommand =
  | { kind: "say"; text: string }
  | { kind: "plan"; goal: string }
  | { kind: "mode"; mode: Mode }
  | { kind: "open"; what: SheetCommand }
  | { kind: "stop" }
  | { kind: "unknown"; text: string };

export function parseCommand(text: string): SlashCommand {
  const trimmed = text.trim();
  const [, name, rest = ""] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(trimmed) ?? [];
  const what = opened(name);
  if (what !== undefined) return { kind: "open", what };
  switch (name) {
    case undefined:
      return { kind: "say", text: trimmed };
    case "plan":
      return { kind: "plan", goal: rest.trim() };
    case "mode": {
      const mode = z.safeParse(Mode, rest.trim());
      return mode.success
        ? { kind: "mode", mode: mode.data }
        : { kind: "unknown", text: "/mode takes plan, normal or auto." };
    }
    case "stop":
      return { kind: "stop" };
    default:
      return { kind: "unknown", text: `There is no command /${name}. /help shows what there is.` };
  }
}
