import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Deployment {
  readonly child: ChildProcess;
  readonly ended: Promise<{ exitCode: number | null; printed: string }>;
}

/**
 * Runs the deployment like a script: without a terminal for questions, and without files of an earlier
 * deployment.
 */
function deploy(args: readonly string[], settings: Record<string, string> = {}): Deployment {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ["--import", "tsx", "scripts/deploy.ts", ...args], {
    cwd: root,
    env: {
      PATH,
      HOME,
      HANDRAIL_DEPLOY_STATE: mkdtempSync(join(tmpdir(), "handrail-deploy-")),
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
  });
  const ended = new Promise<{ exitCode: number | null; printed: string }>((resolve) =>
    child.once("close", (exitCode) => resolve({ exitCode, printed })),
  );
  return { child, ended };
}

test("a dry run needs no account: the script, the page and every binding are there", async () => {
  const { exitCode, printed } = await deploy(["--dry-run"]).ended;
  expect(printed).toContain("--dry-run: exiting now");
  for (const name of ["ASSETS", "REQUEST_LIMIT", "TURN_LIMIT", "STRANGER_LIMIT", "TURNS"])
    expect(printed).toContain(`env.${name}`);
  expect(exitCode).toBe(0);
});

test("a dry run with sandboxes on Cloudflare binds the edge to the guests' script, and leaves no file", {
  tags: "long",
}, async () => {
  const { printed } = await deploy(["--dry-run"], { HANDRAIL_ENGINE: "cloudflare" }).ended;
  expect(printed).toContain("--dry-run: exiting now");
  expect(printed).toMatch(/env\.GUESTS .*handrail-guests/);
  // Uploading the containers needs a newer Wrangler.
  if (Number.parseInt(process.versions.node, 10) < 22) expect(printed).toContain("needs Node 22.12");
  expect(readdirSync(root).filter((name) => name.startsWith(".wrangler.guests"))).toEqual([]);
});

test("sandboxes on Cloudflare need no server of your own", { tags: "long" }, async () => {
  const { exitCode, printed } = await deploy([], { HANDRAIL_ENGINE: "cloudflare" }).ended;
  expect(exitCode).toBe(1);
  for (const name of ["OPENAI_BASE_URL", "OPENAI_API_KEY", "HANDRAIL_MODEL"]) expect(printed).toContain(name);
  expect(printed).not.toMatch(/^ {2}SANDBOX_/m);
});

test.skipIf(process.platform !== "linux").each([
  ["y", "OPENAI_BASE_URL:", "go to containers there"],
  ["n", "SANDBOX_URL:", "stay on your sandbox server"],
])(
  "in a terminal it asks whether sandboxes run on Cloudflare too, until that is answered; %s: then for what that needs",
  { tags: "long" },
  async (answer, next, words) => {
    const { PATH, HOME } = process.env;
    const command = `${process.execPath} --import tsx scripts/deploy.ts`;
    const env = { PATH, HOME, HANDRAIL_DEPLOY_STATE: mkdtempSync(join(tmpdir(), "handrail-deploy-")) };
    const terminal = spawn("script", ["-qfec", command, "/dev/null"], { cwd: root, env });
    let printed = "";
    terminal.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
    try {
      const asked = () => printed.split("[y/n]:").length - 1;
      await expect.poll(asked).toBe(1);
      terminal.stdin.write("perhaps\n");
      await expect.poll(asked).toBe(2);
      terminal.stdin.write(`${answer}\n`);
      await expect.poll(() => printed).toContain(next);
      expect(printed).toContain(words);
      expect(printed.match(/[A-Z_]+:/g)?.at(-1)).toBe(next);
    } finally {
      terminal.kill("SIGKILL");
    }
  },
);

test("without settings and without a terminal it says what to set, and deploys nothing", async () => {
  const { exitCode, printed } = await deploy([]).ended;
  expect(exitCode).toBe(1);
  for (const name of ["SANDBOX_URL", "SANDBOX_TOKEN", "OPENAI_BASE_URL", "OPENAI_API_KEY", "HANDRAIL_MODEL"])
    expect(printed).toContain(name);
  expect(printed).not.toContain("wrangler");
});

test("a deployment that is interrupted leaves no file of secrets", {
  tags: "long",
  timeout: 120_000,
}, async () => {
  const temporary = mkdtempSync(join(tmpdir(), "handrail-deploy-"));
  const secret = "s".repeat(40);
  const platform = createServer();
  const asked = new Promise((resolve) => platform.once("request", resolve));
  await new Promise<void>((resolve) => platform.listen(0, "127.0.0.1", resolve));
  const { port } = platform.address() as AddressInfo;
  const { child, ended } = deploy([], {
    TMPDIR: temporary,
    CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
    CLOUDFLARE_API_TOKEN: secret,
    CLOUDFLARE_ACCOUNT_ID: "0".repeat(32),
    SANDBOX_URL: "https://sandbox.example",
    SANDBOX_TOKEN: secret,
    OPENAI_BASE_URL: "https://model.example/v1",
    HANDRAIL_MODEL: "m",
    OPENAI_API_KEY: secret,
    HANDRAIL_TOKEN: secret,
  });
  try {
    await Promise.race([asked, ended]);
    expect(filesWith("secrets.json", temporary)).toHaveLength(1);
    child.kill("SIGINT");
    const { exitCode, printed } = await ended;
    expect(exitCode).toBe(130);
    expect(printed).not.toContain(secret);
    expect(filesWith("secrets.json", temporary)).toEqual([]);
  } finally {
    child.kill("SIGKILL");
    platform.closeAllConnections();
    platform.close();
  }
});

function filesWith(name: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(name));
}
