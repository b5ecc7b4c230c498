// `npm run tools [group …]`: installs the tools that only some commands need, so that those commands can run offline.
import { getTools, type ToolGroup, toolGroups } from "./tools/get-tools.ts";

function isGroup(name: string): name is ToolGroup {
  return toolGroups.some((known) => known === name);
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !isGroup(name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. The groups are: ${toolGroups.join(", ")}.`);
  process.exit(1);
}
try {
  const got = getTools(asked.length > 0 ? asked.filter(isGroup) : toolGroups);
  console.log(got.length > 0 ? `installed: ${got.join(", ")}` : "all of them are installed");
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
