// Reads and checks what `npm start` is told by its environment (PROTOCOL 0). Starts nothing, prints nothing.
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative, resolve } from "node:path";

export type Runtime = "node" | "workerd" | "deno";

export interface Settings {
  runtime: Runtime;
  /** 0 = any free one. */
  port: number;
  host: string;
  publicUrl: string | undefined;
  token: string;
  /** Absolute. undefined = every sandbox gets a fresh copy of the sample project. */
  workspace: string | undefined;
  workspaceName: string | undefined;
  /** Absolute; exists. */
  stateDir: string;
  /** A sandbox server elsewhere; undefined = the embedded one. */
  sandbox: { url: string; token: string } | undefined;
}

/** An invalid setting; the message is one line that names it and how to fix it. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

type Env = Readonly<Record<string, string | undefined>>;

export function readSettings(env: Env, root: string): Settings {
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
  };
  const stateDir = stateFolder(resolve(root, env.HANDRAIL_STATE || ".handrail/state"), workspace);
  return { ...checked, stateDir, token: given ?? keptToken(join(stateDir, "token")) };
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

function readSandbox(env: Env): Settings["sandbox"] {
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

function stateFolder(path: string, workspace: string | undefined): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    throw new SettingsError(`HANDRAIL_STATE is "${path}", and that folder cannot be made; choose another.`);
  }
  const real = realpathSync(path);
  if (workspace !== undefined && isWithin(workspace, real)) {
    throw new SettingsError(
      `The state folder "${real}" lies inside the workspace; set HANDRAIL_STATE to a folder outside it.`,
    );
  }
  return real;
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith("..") && !way.startsWith("/"));
}

/** Made once, so that a paired phone stays paired over restarts. */
function keptToken(path: string): string {
  const kept = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  if (kept.length >= 32) return kept;
  const made = randomBytes(32).toString("base64url");
  writeFileSync(path, `${made}\n`, { mode: 0o600 });
  // The mode above holds only for a new file.
  chmodSync(path, 0o600);
  return made;
}
