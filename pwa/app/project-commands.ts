// Reads the commands and skills of a session's repository. Loaded when the person types the first slash.
import * as z from "zod/mini";
import { ProjectCommands } from "../../shared/project-command.ts";
import { projectCommands } from "../session/commands.ts";
import { api } from "./app-state.ts";

/**
 * Called whenever the person types a slash, so that new commands are found. If the server does not answer, the previous
 * ones stay.
 */
export async function readCommands(sandboxId: string): Promise<void> {
  const answer = await api.send(`/sandboxes/${sandboxId}/commands`);
  const { commands } = z.parse(ProjectCommands, await answer.json());
  projectCommands.value = { sandboxId, commands };
}
