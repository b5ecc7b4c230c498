// `npm run check`: lint, formatting, types on every runtime, lengths of functions, unused code, size budgets. Prints
// one line for each check, and the details of failures and of the size budgets.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { build, root } from "./build.ts";
import { getTools, inTool, toolGroups } from "./tools/get-tools.ts";

interface ProjectCheck {
  name: string;
  program: string;
  args: readonly string[];
}

/** One tsconfig for each runtime, so that a file that uses another runtime's globals does not compile. */
const projects = [
  "shared",
  "functions",
  "functions/tsconfig.node.json",
  "functions/tsconfig.deno.json",
  "functions/tsconfig.worker.json",
  "sandbox",
  "demo",
  "pwa",
  "test",
];

const checks: readonly ProjectCheck[] = [
  { name: "lint", program: "biome", args: ["check", "--error-on-warnings", "--max-diagnostics=100"] },
  ...projects.map((project) => ({ name: `types ${project}`, program: "tsc", args: ["-p", project] })),
  { name: "function lengths", program: "tsx", args: ["scripts/function-lengths.ts"] },
  { name: "unused code", program: "knip", args: [] },
  { name: "size budgets", program: "size-limit", args: [] },
];

/** Its whole output, and whether it succeeded. */
function run({ program, args }: ProjectCheck): Promise<{ ok: boolean; output: string }> {
  const path = program === "biome" ? inTool("biome", ".bin/biome") : join(root, "node_modules/.bin", program);
  const child = spawn(path, [...args], { cwd: root });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ ok: false, output: error.message }));
    child.once("close", (code) => resolve({ ok: code === 0, output }));
  });
}

// All tools are installed, because their types are checked too.
getTools(toolGroups);
await build();
let failed = 0;
for (const check of checks) {
  const { ok, output } = await run(check);
  if (!ok) failed += 1;
  console.log(`${ok ? "ok    " : "FAILED"} ${check.name}`);
  if (!ok || check.name === "size budgets") console.log(output.trimEnd());
}
console.log(`check: ${checks.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
