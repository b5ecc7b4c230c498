// The options of the command line, and all variables that Handrail reads. It reads none itself.
import { presets } from "../../functions/model/presets.ts";

export interface LaunchOption {
  /** Without its dashes. */
  name: string;
  /** The variable that it sets. */
  variable: string;
  /** Shown after the name; absent = the option takes no value. */
  value?: string;
  /** The option may be given without a value. Of the words that can follow it, these count as its value. */
  optional?: readonly string[];
  text: string;
}

export const options: readonly LaunchOption[] = [
  { name: "port", variable: "PORT", value: "N", text: "port of the app; 0 = any free one (default 8787)" },
  { name: "host", variable: "HANDRAIL_HOST", value: "ADDRESS", text: "address to bind (default 127.0.0.1)" },
  {
    name: "model",
    variable: "HANDRAIL_MODEL",
    value: "ID",
    text: "the model; several separated by commas; demo = the scripted one",
  },
  {
    name: "base-url",
    variable: "OPENAI_BASE_URL",
    value: "URL",
    text: "the model's API, for example http://127.0.0.1:11434/v1",
  },
  {
    name: "engine",
    variable: "HANDRAIL_ENGINE",
    value: "NAME",
    text: "where sessions run: here (default), docker, cloudflare, e2b; several separated by commas",
  },
  {
    name: "runtime",
    variable: "HANDRAIL_RUNTIME",
    value: "NAME",
    text: "what serves the API: node, workerd or deno (default node)",
  },
  {
    name: "state",
    variable: "HANDRAIL_STATE",
    value: "FOLDER",
    text: "where sessions are kept, outside the folder to work in",
  },
  {
    name: "tunnel",
    variable: "HANDRAIL_TUNNEL",
    value: "NAME",
    optional: ["tailscale", "cloudflared"],
    text: "lets the phone in over https: tailscale or cloudflared; whichever is there without a name",
  },
  { name: "open", variable: "HANDRAIL_OPEN", text: "opens the app in this machine's browser" },
];

const modelNames = [
  ...presets.map(({ keyVariable }) => keyVariable),
  "HANDRAIL_MODEL",
  "HANDRAIL_CONTEXT_WINDOW",
  "HANDRAIL_PRICE",
  "HANDRAIL_SUMMARY",
  "HANDRAIL_EDITS",
  "HANDRAIL_WIRE",
  "HANDRAIL_WAIT",
  "HANDRAIL_SPEND_LIMIT",
  "HANDRAIL_UNATTENDED_ROUNDS",
  "HANDRAIL_UNATTENDED_MINUTES",
  "HANDRAIL_UNATTENDED_SPEND",
];

/**
 * What an .env file in the served folder may set. The agent, and the authors of the repository, can write that file.
 */
export const allowedInWorkspace: ReadonlySet<string> = new Set([...modelNames, "OPENAI_BASE_URL"]);

/** All variables that a person may set. */
export const knownVariables: readonly string[] = [
  ...new Set([
    ...options.map(({ variable }) => variable),
    ...modelNames,
    "HANDRAIL_WORKSPACE",
    "HANDRAIL_PUBLIC_URL",
    "HANDRAIL_TOKEN",
    "HANDRAIL_PROVIDERS",
    "HANDRAIL_NETWORK",
    "HANDRAIL_NETWORK_HOSTS",
    "HANDRAIL_TOOLS",
    "HANDRAIL_COMMAND_MEMORY",
    "HANDRAIL_DISK_QUOTA",
    "HANDRAIL_STATE_BUDGET",
    "HANDRAIL_PRIVATE_SOURCES",
    "HANDRAIL_NO_BWRAP",
    "HANDRAIL_NO_RG",
    "HANDRAIL_ORIGINS",
    "HANDRAIL_RATE_LIMIT",
    "HANDRAIL_VAPID_SUBJECT",
    "HANDRAIL_VAPID_PUBLIC",
    "HANDRAIL_VAPID_PRIVATE",
    "HANDRAIL_PUSH_ORIGINS",
    "HANDRAIL_NOTIFY_URL",
    "HANDRAIL_NOTIFY_SECRET",
    "HANDRAIL_ACCESS_TEAM",
    "HANDRAIL_ACCESS_AUDIENCE",
    "HANDRAIL_FORGES",
    "HANDRAIL_MCP",
    "HANDRAIL_FORGE_TOKENS",
    "HANDRAIL_GITHUB_CLIENT_ID",
    "HANDRAIL_LOG",
    "HANDRAIL_DEMO_DELAY_MS",
    "HANDRAIL_E2B_TEMPLATE",
    "E2B_API_KEY",
    "E2B_API_URL",
    "E2B_DOMAIN",
    "E2B_SANDBOX_URL",
    "HANDRAIL_ENGINE_SECRET",
    "HANDRAIL_DOCKER_HOST",
    "HANDRAIL_IMAGE",
    "HANDRAIL_IMAGES",
    "HANDRAIL_GUEST_MEMORY",
    "HANDRAIL_GUEST_CPUS",
    "HANDRAIL_GUEST_DISK",
    "HANDRAIL_GUEST_ADDRESSES",
    "HANDRAIL_GUEST_JAIL",
    "HANDRAIL_GUEST_IDLE_MINUTES",
    "HANDRAIL_GUEST_LIMIT",
    "HANDRAIL_GUEST_LIMIT_EACH",
    "HANDRAIL_GUEST_COST",
    "HANDRAIL_GUEST_BUDGET",
    "HANDRAIL_GUEST_SPENT_FILE",
    "SANDBOX_URL",
    "SANDBOX_TOKEN",
  ]),
];
