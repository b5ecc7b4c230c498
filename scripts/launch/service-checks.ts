// Checks before a service is installed: its settings do not depend on this shell, and the files that it starts will
// stay.

import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { programEnv } from "./child-env.ts";
import type { Env } from "./env.ts";
import { knownVariables } from "./option-table.ts";
import { configFile, stateHome } from "./places.ts";
import { checkPort } from "./ports.ts";
import { readSources } from "./read-sources.ts";
import type { ServiceStart } from "./service-files.ts";
import type { ServiceManager } from "./service-managers.ts";
import { type LaunchSettings, readSettings } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";
import { isWithin } from "./state-folder.ts";
import { tunnelProgram } from "./tunnel.ts";

export interface Service {
  root: string;
  /** The command that a person types. */
  command: string;
  /** Settings given by options, which are stored in the service's own file. */
  variables: Readonly<Record<string, string>>;
  env: Env;
  platform?: NodeJS.Platform;
  /** How long the service may take until it answers; default: a minute. */
  waitMs?: number;
  /** The running Node; default: process.execPath. */
  node?: string;
}

export interface CheckedService {
  settings: LaunchSettings;
  /** Absolute path of a Node that will not disappear. */
  node: string;
  /** Lines about variables that this shell has and the service will not have. */
  notes: string[];
}

/** The locations of settings and state; a service knows them only from its own file. */
const places = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"];

export function startOf({ variables, env }: Service, node: string, script: string): ServiceStart {
  const kept = places.flatMap((name) => (env[name] ? [[name, env[name]]] : []));
  return { node, script, path: env.PATH ?? "", variables: { ...Object.fromEntries(kept), ...variables } };
}

/** Throws SettingsError. Writes nothing but the state folder, like a start. */
export async function checked(manager: ServiceManager, asked: Service): Promise<CheckedService> {
  const { variables, env, command } = asked;
  const node = lastingNode(asked.node ?? process.execPath, env);
  const { variables: given, path } = startOf(asked, node, "");
  // A service starts in /, with neither this shell's variables nor an .env file.
  const sources = readSources(given, { HOME: env.HOME, PATH: path }, "/", { command });
  const settings = readSettings(sources.env, "/", [stateHome({ ...env, ...sources.env })]);
  if (settings.port === 0)
    throw new SettingsError("A service needs the same port at each start; leave --port 0 out, or name one.");
  if (settings.stateIsTemporary)
    throw new SettingsError(
      "The home folder cannot be written, so sessions would be lost; choose a folder for them with --state FOLDER.",
    );
  if (settings.tunnel) tunnelProgram(settings.tunnel, env);
  const absence = manager.absence();
  if (absence !== undefined) throw new SettingsError(absence);
  // A running service occupies its own port.
  if (!manager.isRunning()) await checkPort(settings.host, settings.port);
  const lost = knownVariables.filter((name) => env[name] && !sources.env[name] && !variables[name]);
  const notes = lost.map(
    (name) =>
      `note       ${name} is set in this shell, which the service does not have; write it into ${configFile(env)}`,
  );
  return { settings, node, notes };
}

/** npx may have downloaded this Node into npm's cache, which will be cleaned. */
function lastingNode(running: string, env: Env): string {
  if (!isPassing(running)) return running;
  const others = (env.PATH ?? "").split(delimiter).map((folder) => join(folder, "node"));
  const found = others.find((path) => existsSync(path) && !isPassing(path) && isNewEnough(path, env));
  if (found !== undefined) return found;
  throw new SettingsError(
    `Node runs from ${running}, which is temporary; install Node 20.19 or newer from https://nodejs.org and try again.`,
  );
}

function isPassing(path: string): boolean {
  const real = existsSync(path) ? realpathSync(path) : path;
  return real.includes("/_npx/") || isWithin(realpathSync(tmpdir()), real);
}

function isNewEnough(path: string, env: Env): boolean {
  const { stdout } = spawnSync(path, ["--version"], { env: programEnv(env), encoding: "utf8" });
  const [major = 0, minor = 0] = (stdout ?? "").replace("v", "").split(".").map(Number);
  return major > 20 || (major === 20 && minor >= 19);
}
