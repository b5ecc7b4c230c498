// Commands and skills that a repository defines, as the edge lists them and the phone offers them.
import * as z from "zod/mini";

export const ProjectCommand = z.object({
  /** The word after the slash. */
  name: z.string(),
  /** The file that defines it, relative to the workspace. */
  path: z.string(),
  kind: z.literal(["command", "skill"]),
  /** One line; "" = the file has no description. */
  description: z.string(),
  /** What may follow the name, in the file's own words: `[file] [focus]`. */
  arguments: z.optional(z.string()),
});
export type ProjectCommand = z.infer<typeof ProjectCommand>;

/** The response of `GET /api/sandboxes/:id/commands`. */
export const ProjectCommands = z.object({ commands: z.array(ProjectCommand) });
export type ProjectCommands = z.infer<typeof ProjectCommands>;

/** The name and the rest of a line that may call a command; undefined if it cannot (`/etc/hosts is …`). */
export function calledCommand(text: string): { name: string; rest: string } | undefined {
  const [, name, rest = ""] = /^\s*\/([a-z0-9][\w.:-]{0,63})(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  return name === undefined ? undefined : { name, rest: rest.trim() };
}
