// `npm run biome -- …`: the linter and formatter, which is installed at its first use.
import { spawnSync } from "node:child_process";
import { root } from "./build.ts";
import { getTools, inTool } from "./tools/get-tools.ts";

getTools(["biome"]);
const program = inTool("biome", ".bin", "biome");
const done = spawnSync(program, process.argv.slice(2), { cwd: root, stdio: "inherit" });
process.exitCode = done.status ?? 1;
