// Sandboxes on Cloudflare, as `npm run deploy` creates them: the second script, its bucket, and the edge's binding to
// it.
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { root } from "../build.ts";

/**
 * The first version known to accept wrangler.sandbox.toml. The one that we install, for Node 20, does not know that
 * scheduling policy.
 */
const wranglerVersion = "4.164.0";
const neededNode = [22, 12] as const;

const question = `Sandboxes on Cloudflare too?
  y  each session gets a container there: no machine of yours is needed. Takes the paid plan of Workers ($5 a month) and
     about $0.08 to $0.13 for each hour that a container is awake.
  n  they are on a sandbox server of yours, which has to be reached over https (docs/deploy.md).
[y/n]: `;

export async function wantsGuests(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (;;) {
      const answer = (await terminal.question(question)).trim().toLowerCase();
      if (/^(y|yes|n|no)$/.test(answer)) return answer.startsWith("y");
    }
  } finally {
    terminal.close();
  }
}

/**
 * Arguments with which Wrangler uploads the edge with its binding. The file is next to wrangler.toml, so relative paths
 * in it stay valid.
 */
export function guestConfig(): string[] {
  const name = ".wrangler.guests.toml";
  const edge = readFileSync(join(root, "wrangler.toml"), "utf8");
  const file = join(root, name);
  writeFileSync(file, `${edge}${binding}`);
  process.once("exit", () => rmSync(file, { force: true }));
  return ["--config", name];
}

const binding = `
[[durable_objects.bindings]]
name = "GUESTS"
class_name = "SandboxGuest"
script_name = "handrail-guests"
`;

/**
 * Deploys the script and returns its exit code. The bucket is created first, because a binding to a missing one is
 * refused.
 */
export async function deployGuests(args: readonly string[]): Promise<number> {
  checkNode();
  await wrangler(["r2", "bucket", "create", "handrail-guests"]);
  return wrangler(["deploy", "--config", "wrangler.sandbox.toml", ...args]);
}

export async function rehearseGuests(args: readonly string[]): Promise<number> {
  checkNode();
  return wrangler(["deploy", "--config", "wrangler.sandbox.toml", ...args]);
}

function checkNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [leastMajor, leastMinor] = neededNode;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new Error(
    `Sandboxes on Cloudflare are uploaded with Wrangler ${wranglerVersion}, which needs Node ${neededNode.join(".")} or newer; this is ${process.versions.node}.`,
  );
}

function wrangler(args: readonly string[]): Promise<number> {
  const child = spawn("npx", ["--yes", `wrangler@${wranglerVersion}`, ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  });
  return new Promise((resolve) => {
    child.once("error", () => resolve(1));
    child.once("close", (code) => resolve(code ?? 1));
  });
}
