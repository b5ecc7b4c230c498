// The composer's slash commands: which exist, and what a typed line means.
import { signal } from "@preact/signals";
import * as z from "zod/mini";
import { Mode } from "../../shared/mode.ts";
import type { ProjectCommand } from "../../shared/project-command.ts";
import type { ModelWords } from "../browser/sheet.ts";
import { modeMeanings } from "../words/mode-words.ts";
import type { PickFor } from "./chosen-model.ts";

export interface CommandHint {
  /** The text that a tap puts into the composer. */
  insert: string;
  label: string;
  meaning: string;
  /** Commands of one group are listed together; those from files have no group. */
  group?: "plan" | "mode" | "session" | "project" | "issues";
}

/** Commands and skills of one sandbox's repository, as last read (../app/project-commands.ts). */
export const projectCommands = signal<{ sandboxId: string; commands: readonly ProjectCommand[] }>({
  sandboxId: "",
  commands: [],
});

/** The commands of a sandbox; none before they were read. */
export function commandsIn(sandboxId: string): readonly ProjectCommand[] {
  const { value } = projectCommands;
  return value.sandboxId === sandboxId ? value.commands : [];
}

/** The hints for these commands, without those whose name is one of our own. */
export function projectHints(commands: readonly ProjectCommand[]): CommandHint[] {
  return commands
    .filter(({ name }) => parseCommand(`/${name}`, commands).kind === "say")
    .map(({ name, description, arguments: wants }) => ({
      insert: wants === undefined ? `/${name}` : `/${name} `,
      label: wants === undefined ? `/${name}` : `/${name} ${wants}`,
      meaning: description,
      group: "project",
    }));
}

/** The commands that open a screen, with their meanings. The file openings.ts maps each of them to its screen. */
const openings = {
  undo: "files back to before a step or a message",
  diff: "what changed in the files",
  files: "the files of the workspace",
  export: "this session as a file",
  help: "commands and keys",
} as const;
export type SheetCommand = keyof typeof openings;

function opened(name: string | undefined): SheetCommand | undefined {
  // /diff had this name before, and people still type it.
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
  { insert: "/model", label: "/model", meaning: "which model answers next", group: "session" },
  { insert: "/model plan ", label: "/model plan", meaning: "which model plans", group: "session" },
];

/** Returns the commands that begin with `text`; none unless `text` is one line that begins with a slash. */
export function commandHints(text: string, commands: readonly ProjectCommand[] = []): CommandHint[] {
  if (!text.startsWith("/") || text.includes("\n")) return [];
  return [...hints, ...projectHints(commands)].filter(
    (hint) => hint.insert.startsWith(text) && hint.insert !== text.trimEnd(),
  );
}

/** `/model [plan|normal|auto] [NAME] [EFFORT]`. Without `of`, the model is for the work that the next message does. */
export interface WantedModel extends ModelWords {
  of?: PickFor;
}

export type SlashCommand =
  | { kind: "say"; text: string }
  | { kind: "plan"; goal: string }
  | { kind: "mode"; mode: Mode }
  | { kind: "open"; what: SheetCommand }
  | { kind: "stop" }
  | { kind: "model"; wants: WantedModel }
  | { kind: "unknown"; text: string };

function wantedModel(text: string): WantedModel {
  const words = text.trim().split(/\s+/);
  const mode = /^(?:plan|normal|auto)$/.test(words[0] ?? "") ? words.shift() : undefined;
  const effort = /^(?:default|low|medium|high)$/.test(words.at(-1) ?? "") ? words.pop() : undefined;
  return {
    ...(mode !== undefined && { of: mode === "plan" ? "plan" : "run" }),
    name: words.join(" "),
    ...(effort !== undefined && { effort: effort === "default" ? "" : effort }),
  };
}

/** The names of our own commands, which a command of the repository cannot take. */
const ownNames: ReadonlySet<string> = new Set([
  ...["plan", "mode", "stop", "model", "changes"],
  ...Object.keys(openings),
]);

/** The command's name. Ours are found in any case, so that a file of the repository cannot define `/Stop`. */
function nameIn(word: string | undefined): string | undefined {
  const own = word?.toLowerCase() ?? "";
  if (ownNames.has(own)) return own;
  return own === word ? word : undefined;
}

/** A line that calls one of `commands` is sent unchanged: the edge adds the command's text. */
export function parseCommand(text: string, commands: readonly ProjectCommand[] = []): SlashCommand {
  const trimmed = text.trim();
  const [, word, rest = ""] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(trimmed) ?? [];
  const name = nameIn(word);
  if (name === "model") return { kind: "model", wants: wantedModel(rest) };
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
      if (commands.some((command) => command.name === name)) return { kind: "say", text: trimmed };
      return { kind: "unknown", text: `There is no command /${name}. /help shows what there is.` };
  }
}
