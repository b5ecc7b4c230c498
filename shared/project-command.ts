// Commands and skills that a repository brings along, as the edge lists them and the phone offers them.
import * as z from "zod/mini";

export const ProjectCommand = z.object({
  /** Typed after the slash. */
  name: z.string(),
  /** The file that says what it does, relative to the workspace. */
  path: z.string(),
  kind: z.enum(["command", "skill"]),
  /** One line; "" = its file has no words. */
  description: z.string(),
  /** What may follow the name, in the file's own words: `[file] [focus]`. */
  arguments: z.optional(z.string()),
});
export type ProjectCommand = z.infer<typeof ProjectCommand>;

/** The answer of `GET /api/sandboxes/:id/commands`. */
export const ProjectCommands = z.object({ commands: z.array(ProjectCommand) });
export type ProjectCommands = z.infer<typeof ProjectCommands>;

/** The name and the rest of a line that may call a command; undefined if it begins like none (`/etc/hosts is …`). */
export function calledCommand(text: string): { name: string; rest: string } | undefined {
  const [, name, rest = ""] = /^\s*\/([a-z0-9][\w.:-]{0,63})(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  return name === undefined ? undefined : { name, rest: rest.trim() };
}
