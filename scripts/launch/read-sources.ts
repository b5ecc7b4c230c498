// Merges a person's settings from the options, the environment, .env and config.json, in this order of precedence.
// Writes nothing.

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
// A named import that an old Node does not export would end the start before the message about the required version.
import * as util from "node:util";
import * as z from "zod/mini";
import type { Env } from "./env.ts";
import { keyVariables } from "./key-variables.ts";
import { nearest } from "./nearest.ts";
import { allowedInWorkspace, knownVariables, options } from "./option-table.ts";
import { configFile } from "./places.ts";
import { SettingsError } from "./settings-error.ts";
import { isWithin } from "./state-folder.ts";

export interface Sources {
  /** All settings together; an empty value counts as unset. */
  env: Record<string, string>;
  /** Variables that were read from a file, with that file's path. */
  from: Map<string, string>;
  /** Lines for people about settings that were ignored, and why. */
  notes: string[];
  /** undefined = there is no config.json. */
  config: string | undefined;
}

const ConfigFile = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

export interface Reader {
  /** The command that a person types. */
  command: string;
  /** The folder of a clone, whose .env belongs to the person. */
  own?: string | undefined;
}

/** `given`: settings from options. Throws SettingsError if config.json cannot be read. */
export function readSources(given: Env, env: Env, cwd: string, { command, own }: Reader): Sources {
  const path = configFile(env);
  const config = readConfig(path, command);
  const sources: Sources = { env: {}, from: new Map(), notes: [], config: config && path };
  const before = { ...config, ...set(env), ...set(given) };
  const envFile = join(cwd, ".env");
  const inFile = readEnvFile(envFile, before, own, sources.notes);
  Object.assign(sources.env, config, inFile, set(env), set(given));
  const note = (values: Env, file: string) => {
    for (const name of Object.keys(values))
      if (!set(env)[name] && !set(given)[name]) sources.from.set(name, file);
  };
  note(config ?? {}, path);
  note(inFile, envFile);
  return sources;
}

function set(env: Env): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** The file may use the names of variables, or those of the options that set them. */
function readConfig(path: string, command: string): Record<string, string> | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (!existsSync(path)) return undefined;
    throw new SettingsError(`${path} cannot be read (${codeOf(error)}); mend its permissions, or delete it.`);
  }
  const values = parseConfig(path, text);
  const keys = keyVariables(String(values.HANDRAIL_PROVIDERS ?? ""));
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const variable = variableOf(path, name, keys, command);
      const said = value === true ? "1" : value === false ? "" : String(value);
      if (said === "") return [];
      return [[variable, isFolder(variable) ? resolve(dirname(path), said) : said]];
    }),
  );
}

function parseConfig(path: string, text: string): z.infer<typeof ConfigFile> {
  try {
    return z.parse(ConfigFile, JSON.parse(text));
  } catch (error) {
    const why = error instanceof SyntaxError ? ` (${error.message})` : "";
    throw new SettingsError(
      `${path} is not an object of names and values${why}; mend it, or delete it to be asked again.`,
    );
  }
}

function variableOf(path: string, name: string, keys: readonly string[], command: string): string {
  const option = options.find((one) => one.name === name);
  if (option) return option.variable;
  if (knownVariables.includes(name) || keys.includes(name)) return name;
  const meant = nearest(name, [...knownVariables, ...options.map((one) => one.name)]);
  throw new SettingsError(
    `${path}: there is no setting ${name}; ${meant ? `did you mean ${meant}?` : `${command} --help lists them.`}`,
  );
}

function isFolder(variable: string): boolean {
  return variable === "HANDRAIL_WORKSPACE" || variable === "HANDRAIL_STATE";
}

/**
 * Reads only our variables; others belong to other programs. A folder's .env was written by its authors, or by the
 * agent. So it may choose the model but not decide who gets access, unless it is the one in `own`, outside the
 * workspace.
 */
function readEnvFile(
  path: string,
  before: Env,
  own: string | undefined,
  notes: string[],
): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (existsSync(path)) notes.push(`${path} is not read: ${codeOf(error)}.`);
    return {};
  }
  const folder = dirname(path);
  const isOwn = folder === own;
  const said = set(util.parseEnv(text));
  const named = said.HANDRAIL_WORKSPACE && resolve(folder, said.HANDRAIL_WORKSPACE);
  const workspace = before.HANDRAIL_WORKSPACE ?? named;
  const isTrusted = isOwn && !(workspace && isWithin(realOf(workspace), realOf(path)));
  // Key variables from a list in this file count only if the file may set everything.
  const keys = keyVariables((isTrusted && said.HANDRAIL_PROVIDERS) || before.HANDRAIL_PROVIDERS);
  const taken: Record<string, string> = {};
  for (const [name, value] of Object.entries(said)) {
    const keyIsElsewhere = name === "OPENAI_BASE_URL" && Boolean(before.OPENAI_API_KEY);
    const isKey = keys.includes(name);
    const isHarmless = isKey || allowedInWorkspace.has(name) || (isOwn && name === "HANDRAIL_WORKSPACE");
    if (!isKey && !knownVariables.includes(name)) notes.push(...misspelt(path, name));
    else if (isTrusted || (isHarmless && !keyIsElsewhere))
      taken[name] = isFolder(name) ? resolve(folder, value) : value;
    else if (!before[name])
      notes.push(
        `${name} in ${path} is not used, because the agent can write that file, or a stranger wrote it; set it in the environment or in config.json.`,
      );
  }
  return taken;
}

function misspelt(path: string, name: string): string[] {
  const meant = /^HANDRAIL_/.test(name) ? nearest(name, knownVariables) : undefined;
  return meant ? [`${path}: there is no variable ${name}; did you mean ${meant}?`] : [];
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unreadable";
}
