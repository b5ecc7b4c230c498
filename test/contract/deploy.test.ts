import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** As from a script: no terminal to ask in, and nothing kept from an earlier deployment. */
async function deploy(args: readonly string[]): Promise<{ exitCode: number | null; printed: string }> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ["--import", "tsx", "scripts/deploy.ts", ...args], {
    cwd: root,
    env: { PATH, HOME, HANDRAIL_DEPLOY_STATE: mkdtempSync(join(tmpdir(), "handrail-deploy-")) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { exitCode, printed };
}

test("a rehearsal needs no account: the script, the page and every binding are there", async () => {
  const { exitCode, printed } = await deploy(["--dry-run"]);
  expect(printed).toContain("--dry-run: exiting now");
  for (const name of ["ASSETS", "REQUEST_LIMIT", "TURN_LIMIT", "STRANGER_LIMIT"])
    expect(printed).toContain(`env.${name}`);
  expect(exitCode).toBe(0);
}, 120_000);

test("without settings and without a terminal it says what to set, and deploys nothing", async () => {
  const { exitCode, printed } = await deploy([]);
  expect(exitCode).toBe(1);
  for (const name of ["SANDBOX_URL", "SANDBOX_TOKEN", "OPENAI_BASE_URL", "OPENAI_API_KEY", "HANDRAIL_MODEL"])
    expect(printed).toContain(name);
  expect(printed).not.toContain("wrangler");
});
