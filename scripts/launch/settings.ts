// Reads and validates the settings of `npm start` from its environment (PROTOCOL 0). Starts and prints nothing.

import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { engineNames } from "../../functions/engines/engine.ts";
import type { Env } from "./env.ts";
import { SettingsError } from "./settings-error.ts";
import { type LaunchStateFolder, stateFolder } from "./state-folder.ts";
import { checkStateFormat } from "./state-format.ts";

export type Runtime = "node" | "workerd" | "deno";

export interface LaunchSettings {
  runtime: Runtime;
  /** 0 = any free port. */
  port: number;
  host: string;
  publicUrl: string | undefined;
  token: string;
  /** Absolute path. undefined = every sandbox gets a fresh copy of the sample project. */
  workspace: string | undefined;
  workspaceName: string | undefined;
  /** Absolute path of an existing folder. */
  stateDir: string;
  /** The state folder is a temporary one, because no other was writable. */
  stateIsTemporary: boolean;
  /** undefined = none; "any" = the program that is installed. */
  tunnel: "tailscale" | "cloudflared" | "any" | undefined;
  /** Whether to open the page in this machine's browser. */
  open: boolean;
  /** false = every session has a guest elsewhere, and no sandbox server is started here. */
  runsHere: boolean;
  /** The secret from which the tokens of guests are derived; undefined = no engine creates guests. */
  engineSecret: string | undefined;
  /** A remote sandbox server; undefined = the embedded one. */
  sandbox: { url: string; token: string } | undefined;
}

/**
 * `base`: the folder for relative paths. `stateFolders`: absolute paths. Unless the environment names a state folder,
 * the first of them that is writable and outside the workspace is used.
 */
export function readSettings(
  env: Env,
  base: string,
  stateFolders: readonly string[] = [join(base, ".handrail/state")],
): LaunchSettings {
  const workspace = env.HANDRAIL_WORKSPACE ? existingFolder(env.HANDRAIL_WORKSPACE) : undefined;
  const given = env.HANDRAIL_TOKEN || undefined;
  if (given !== undefined && given.length < 32) {
    throw new SettingsError(
      "HANDRAIL_TOKEN is shorter than 32 characters; use a longer one, or leave it unset to have one made.",
    );
  }
  const checked = {
    runtime: readRuntime(env.HANDRAIL_RUNTIME || "node"),
    port: readPort(env.PORT || "8787"),
    host: env.HANDRAIL_HOST || "127.0.0.1",
    publicUrl: env.HANDRAIL_PUBLIC_URL ? readUrl("HANDRAIL_PUBLIC_URL", env.HANDRAIL_PUBLIC_URL) : undefined,
    workspace,
    workspaceName: workspace && basename(workspace),
    sandbox: readSandbox(env),
    tunnel: readTunnel(env),
    open: isOn("HANDRAIL_OPEN", env.HANDRAIL_OPEN),
  };
  const engines = enginesOf(env.HANDRAIL_ENGINE || "here");
  const makesGuests = [...engines].some((name) => name !== "here");
  const state: LaunchStateFolder = stateFolder(
    env.HANDRAIL_STATE ? resolve(base, env.HANDRAIL_STATE) : undefined,
    stateFolders,
    workspace,
  );
  checkStateFormat(state.path);
  return {
    ...checked,
    runsHere: engines.has("here"),
    stateDir: state.path,
    stateIsTemporary: state.isTemporary,
    token: given ?? keptToken(join(state.path, "token")),
    engineSecret: makesGuests
      ? env.HANDRAIL_ENGINE_SECRET || keptToken(join(state.path, "engine-secret"))
      : undefined,
  };
}

function enginesOf(text: string): Set<string> {
  const named = text.split(/[\s,]+/).filter((name) => name !== "");
  const names = new Set(named.map((name) => (name === "local" ? "here" : name)));
  for (const name of names) {
    if ((engineNames as readonly string[]).includes(name)) continue;
    throw new SettingsError(
      `HANDRAIL_ENGINE is "${text}"; it takes ${engineNames.join(", ")}, several of them separated by commas.`,
    );
  }
  return names;
}

function readTunnel(env: Env): LaunchSettings["tunnel"] {
  const text = env.HANDRAIL_TUNNEL ?? "";
  if (text !== "tailscale" && text !== "cloudflared" && !isOn("HANDRAIL_TUNNEL", text)) return undefined;
  if (env.HANDRAIL_PUBLIC_URL) {
    throw new SettingsError(
      "HANDRAIL_TUNNEL and HANDRAIL_PUBLIC_URL are both set; a tunnel brings its own URL, so leave one of them out.",
    );
  }
  return text === "tailscale" || text === "cloudflared" ? text : "any";
}

function isOn(name: string, text = ""): boolean {
  if (["1", "true", "on", "yes"].includes(text)) return true;
  if (["", "0", "false", "off", "no"].includes(text)) return false;
  const also = name === "HANDRAIL_TUNNEL" ? "tailscale, cloudflared, " : "";
  throw new SettingsError(`${name} is "${text}"; it must be ${also}1 or 0.`);
}

function readRuntime(text: string): Runtime {
  if (text === "node" || text === "workerd" || text === "deno") return text;
  throw new SettingsError(`HANDRAIL_RUNTIME is "${text}"; it must be node, workerd or deno.`);
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new SettingsError(`PORT is "${text}"; it must be a number from 0 (any free port) to 65535.`);
}

function readUrl(name: string, text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text.replace(/\/+$/, "");
  throw new SettingsError(`${name} is "${text}"; it must be a URL like https://example.com.`);
}

function readSandbox(env: Env): LaunchSettings["sandbox"] {
  if (!env.SANDBOX_URL) return undefined;
  const url = readUrl("SANDBOX_URL", env.SANDBOX_URL);
  if (env.SANDBOX_TOKEN) return { url, token: env.SANDBOX_TOKEN };
  throw new SettingsError(
    "SANDBOX_URL is set and SANDBOX_TOKEN is not; set the token of that sandbox server.",
  );
}

function existingFolder(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute) && statSync(absolute).isDirectory()) return realpathSync(absolute);
  throw new SettingsError(
    `HANDRAIL_WORKSPACE is "${path}", and there is no such folder; give the path of a repository.`,
  );
}

/** Created once, so that paired phones stay paired after a restart. */
function keptToken(path: string): string {
  const kept = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  if (kept.length >= 32) return kept;
  const made = randomBytes(32).toString("base64url");
  writeFileSync(path, `${made}\n`, { mode: 0o600 });
  // The mode above applies only to a new file.
  chmodSync(path, 0o600);
  return made;
}
