// `npm run deploy`: deploys the edge to Cloudflare Workers. The first time, it asks for the settings that it needs and
// stores them for later.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import encodeQR from "qr";
import * as z from "zod/mini";
import { root } from "./build.ts";
import { deployGuests, guestConfig, rehearseGuests, wantsGuests } from "./deploy/guests.ts";
import { asVariables, makeVapidPair, vapidSubject } from "./launch/vapid.ts";
import { getTools, inTool } from "./tools/get-tools.ts";

/**
 * The settings of a deployment, in the order in which they are asked for. `secret`: uploaded encrypted and never shown
 * again.
 */
const needed = [
  {
    name: "SANDBOX_URL",
    secret: false,
    what: "The https URL of your sandbox server: the machine that holds the files (docs/deploy.md).",
    problem: (value: string) =>
      value.startsWith("https://") && URL.canParse(value) ? undefined : "must be a URL with https",
  },
  {
    name: "SANDBOX_TOKEN",
    secret: true,
    what: "The token that the sandbox server was started with.",
    problem: longEnough,
  },
  {
    name: "OPENAI_BASE_URL",
    secret: false,
    what: "The model provider's API, for example https://api.openai.com/v1.",
    problem: (value: string) => (URL.canParse(value) ? undefined : "must be a URL"),
  },
  {
    name: "HANDRAIL_MODEL",
    secret: false,
    what: "The model's id there; several separated by commas.",
    problem: () => undefined,
  },
  { name: "OPENAI_API_KEY", secret: true, what: "Your key there.", problem: () => undefined },
  {
    name: "HANDRAIL_TOKEN",
    secret: true,
    what: "The token that phones pair with.",
    problem: longEnough,
  },
] as const;

/** These replace the settings of a self-hosted sandbox server if sandboxes also run on Cloudflare. */
const guestSettings = [
  { name: "HANDRAIL_ENGINE", secret: false },
  { name: "HANDRAIL_ENGINE_SECRET", secret: true },
  { name: "HANDRAIL_GUEST_JAIL", secret: false },
];
const ofOwnServer: readonly string[] = ["SANDBOX_URL", "SANDBOX_TOKEN"];

type DeploySettings = Record<string, string>;

const keptIn = join(process.env.HANDRAIL_DEPLOY_STATE || join(root, ".handrail"), "deploy.json");

function longEnough(value: string): string | undefined {
  return value.length >= 32 ? undefined : "must be 32 characters or more";
}

async function main(args: readonly string[]): Promise<number> {
  // A dry run needs no account and no settings: it builds, checks wrangler.toml, and reports the script's size.
  if (args.includes("--dry-run")) return rehearse(args);
  const settings = await complete(await withEngine(readSettings()));
  keep(settings);
  const guests = settings.HANDRAIL_ENGINE === "cloudflare";
  // Deployed first, because the edge is bound to its class.
  if (guests && (await deployGuests(args)) !== 0) return 1;
  const folder = mkdtempSync(join(tmpdir(), "handrail-deploy-"));
  try {
    const secretsFile = join(folder, "secrets.json");
    const push = pushSettings(settings);
    writeFileSync(secretsFile, JSON.stringify({ ...pick(settings, true), ...push }), { mode: 0o600 });
    const variables = Object.entries(pick(settings, false)).flatMap(([name, value]) => [
      "--var",
      `${name}:${value}`,
    ]);
    const { exitCode, printed } = await wrangler([
      "deploy",
      ...(guests ? guestConfig() : []),
      "--secrets-file",
      secretsFile,
      ...variables,
      ...args,
    ]);
    if (exitCode === 0) console.log(pairing(printed, settings.HANDRAIL_TOKEN ?? ""));
    return exitCode;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function rehearse(args: readonly string[]): Promise<number> {
  if (process.env.HANDRAIL_ENGINE !== "cloudflare") return (await wrangler(["deploy", ...args])).exitCode;
  const { exitCode } = await wrangler(["deploy", ...guestConfig(), ...args]);
  return exitCode || rehearseGuests(args);
}

/** Asks once where the sandboxes should run, if there is a terminal. */
async function withEngine(settings: DeploySettings): Promise<DeploySettings> {
  if (settings.HANDRAIL_ENGINE || settings.SANDBOX_URL) return withSecret(settings);
  if (!process.stdin.isTTY) return settings;
  const engine = (await wantsGuests()) ? "cloudflare" : "here";
  return withSecret({ ...settings, HANDRAIL_ENGINE: engine });
}

/** The tokens of guests are derived from this secret. It must be kept, or existing guests could not be reached. */
function withSecret(settings: DeploySettings): DeploySettings {
  if (settings.HANDRAIL_ENGINE !== "cloudflare") return settings;
  return { HANDRAIL_ENGINE_SECRET: randomBytes(32).toString("base64url"), ...settings };
}

function neededBy(settings: DeploySettings): readonly (typeof needed)[number][] {
  return settings.HANDRAIL_ENGINE === "cloudflare"
    ? needed.filter(({ name }) => !ofOwnServer.includes(name))
    : needed;
}

/** Settings from the environment, or otherwise from the last deployment. A token is created if there is none. */
function readSettings(): DeploySettings {
  const kept = existsSync(keptIn)
    ? z.parse(z.record(z.string(), z.string()), JSON.parse(readFileSync(keptIn, "utf8")))
    : {};
  const names = [
    ...[...needed, ...guestSettings].map(({ name }) => name),
    ...["HANDRAIL_VAPID_PUBLIC", "HANDRAIL_VAPID_PRIVATE"],
  ];
  const given = names.flatMap((name): [string, string][] => {
    const value = process.env[name] || kept[name];
    return value ? [[name, value]] : [];
  });
  return { HANDRAIL_TOKEN: randomBytes(32).toString("base64url"), ...Object.fromEntries(given) };
}

/** Asks for missing settings if there is a terminal. */
async function complete(settings: DeploySettings): Promise<DeploySettings> {
  const open = neededBy(settings).filter(
    ({ name, problem }) => settings[name] === undefined || problem(settings[name]) !== undefined,
  );
  if (open.length === 0) return settings;
  if (!process.stdin.isTTY) {
    const lines = open.map(({ name, what }) => `  ${name.padEnd(16)} ${what}`);
    throw new Error(
      `To deploy, set these, or run npm run deploy in a terminal:\n${lines.join("\n")}\nWith HANDRAIL_ENGINE=cloudflare sandboxes are on Cloudflare too, and the first two are not needed.`,
    );
  }
  const where =
    settings.HANDRAIL_ENGINE === "cloudflare" ? "go to containers there" : "stay on your sandbox server";
  console.log(`The edge goes to Cloudflare Workers; files and commands ${where}.\n`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answers: DeploySettings = {};
  for (const { name, what, problem } of open) {
    for (let wrong: string | undefined = ""; wrong !== undefined; ) {
      const answer = (await terminal.question(`${what}\n${name}: `)).trim();
      wrong = answer === "" ? "must not be empty" : problem(answer);
      if (wrong === undefined) answers[name] = answer;
      else console.log(`${name} ${wrong}.`);
    }
  }
  terminal.close();
  return { ...settings, ...answers };
}

/**
 * Keys for the worker's push notifications, created with the first deployment; {} if there is no contact address for
 * push services.
 */
function pushSettings(settings: DeploySettings): DeploySettings {
  const subject = vapidSubject(process.env, undefined);
  if (subject === undefined) return {};
  const { HANDRAIL_VAPID_PUBLIC: publicKey, HANDRAIL_VAPID_PRIVATE: privateKey } = settings;
  const pair = publicKey && privateKey ? { publicKey, privateKey } : makeVapidPair();
  const variables = asVariables(pair, subject);
  keep({ ...settings, ...variables });
  return variables;
}

function keep(settings: DeploySettings): void {
  mkdirSync(dirname(keptIn), { recursive: true, mode: 0o700 });
  writeFileSync(keptIn, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  // The mode above applies only to a new file.
  chmodSync(keptIn, 0o600);
}

function pick(settings: DeploySettings, secret: boolean): DeploySettings {
  const guests = settings.HANDRAIL_ENGINE === "cloudflare" ? guestSettings : [];
  const names: readonly string[] = [...neededBy(settings), ...guests]
    .filter((entry) => entry.secret === secret)
    .map(({ name }) => name);
  return Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)));
}

function wrangler(args: readonly string[]): Promise<{ exitCode: number; printed: string }> {
  getTools(["workerd"]);
  const child = spawn(process.execPath, [inTool("workerd", "wrangler/bin/wrangler.js"), ...args], {
    cwd: root,
    stdio: ["inherit", "pipe", "inherit"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
    process.stdout.write(chunk);
  });
  // An interrupt also ends the upload; this process stays until the file with the secrets is removed. Wrangler then
  // exits with 0.
  let interrupted = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      interrupted = true;
      child.kill(signal);
    });
  return new Promise((resolve) =>
    child.once("close", (code) => resolve({ exitCode: interrupted ? 130 : (code ?? 1), printed })),
  );
}

function pairing(printed: string, token: string): string {
  const address = /https:\/\/\S+\.workers\.dev/.exec(printed)?.[0] ?? "https://YOUR-ADDRESS";
  const url = `${address}/#pair=${token}`;
  return ["", encodeQR(url, "ascii"), "", `pair       ${url}`, ""].join("\n");
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
