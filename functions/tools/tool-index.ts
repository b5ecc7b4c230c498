// All tools, in the order in which providers see and cache them: insert a new one where it belongs, and do not reorder the
// others. offered-tools.ts decides which of them a request shows.
import type { ToolDefinition } from "../model/prompt.ts";
import type { EditStyle } from "../model/provider.ts";
import { askUser } from "./ask-user.ts";
import { readOutput, stopCommand } from "./background-tools.ts";
import { deliver } from "./deliver.ts";
import { editFile } from "./edit-file.ts";
import { enterPlan } from "./enter-plan.ts";
import { exitPlan } from "./exit-plan.ts";
import { explore } from "./explore.ts";
import { getPlan } from "./get-plan.ts";
import { listFiles } from "./list-files.ts";
import { readFile } from "./read-file.ts";
import { runCommand } from "./run-command.ts";
import { searchFiles } from "./search-files.ts";
import { setPlan } from "./set-plan.ts";
import type { Tool } from "./tool.ts";
import { updatePlan } from "./update-plan.ts";
import { writeFile } from "./write-file.ts";

export const tools: readonly Tool[] = [
  readFile,
  listFiles,
  searchFiles,
  runCommand,
  editFile,
  writeFile,
  setPlan,
  updatePlan,
  getPlan,
  askUser,
  exitPlan,
  enterPlan,
  readOutput,
  stopCommand,
  deliver,
  explore,
];

const toolsByName: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.name, tool]));

export const toolNames: ReadonlySet<string> = new Set(toolsByName.keys());

export function findTool(name: string): Tool | undefined {
  return toolsByName.get(name);
}

/** `edits`: the form of edits that this model is shown. Every form is accepted, whatever is shown. */
export function toolDefinitions(offered: readonly string[], edits: EditStyle = "rows"): ToolDefinition[] {
  return offered.flatMap((name) => {
    const tool = findTool(name);
    if (!tool) return [];
    const { description, parameters } = (edits === "text" ? tool.shownAsText : undefined) ?? tool;
    return [{ name, description, parameters }];
  });
}
