// Parses the command line: which command, and which variables its options set. Starts and prints nothing.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { nearest } from "./nearest.ts";
import { knownVariables, type LaunchOption, options } from "./option-table.ts";
import { SettingsError } from "./settings-error.ts";

export const commands = ["start", "doctor", "service"] as const;
type CommandName = (typeof commands)[number];

export const serviceActions = ["install", "uninstall", "status"] as const;
export type ServiceAction = (typeof serviceActions)[number];

export interface CommandLineArguments {
  command: CommandName | "help" | "version";
  /** For `service`. */
  action: ServiceAction;
  variables: Record<string, string>;
}

/**
 * Throws SettingsError with one sentence that names the remedy. Relative paths are resolved from `cwd`. `command`: the
 * command that a person types before the arguments.
 */
export function readArguments(args: readonly string[], cwd: string, command: string): CommandLineArguments {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: {
      ...Object.fromEntries(
        options.map(({ name, value, optional }) => [
          name,
          { type: value === undefined || optional ? ("boolean" as const) : ("string" as const) },
        ]),
      ),
      help: { type: "boolean", short: "h" },
      version: { type: "boolean", short: "v" },
    },
  });
  const read: CommandLineArguments = { command: "start", action: "install", variables: {} };
  const words: string[] = [];
  /** The option just before this word, if its value is optional. */
  let open: LaunchOption | undefined;
  for (const token of tokens) {
    const before = open;
    open = undefined;
    if (token.kind === "positional") {
      if (before?.optional?.includes(token.value)) read.variables[before.variable] = token.value;
      else words.push(token.value);
    }
    if (token.kind !== "option") continue;
    if (token.name === "help" || token.name === "version") {
      if (read.command !== "help") read.command = token.name;
      continue;
    }
    const option = options.find(({ name }) => name === token.name);
    if (option === undefined) throw unknownOption(token.rawName, token.name, command);
    read.variables[option.variable] = optionValue(option, token.value, token.inlineValue === true);
    if (token.value === undefined) open = option;
  }
  takeWords(read, words);
  const { HANDRAIL_STATE: state, HANDRAIL_WORKSPACE: workspace } = read.variables;
  if (state !== undefined) read.variables.HANDRAIL_STATE = resolve(cwd, state);
  if (workspace !== undefined) read.variables.HANDRAIL_WORKSPACE = resolve(cwd, workspace);
  return read;
}

function optionValue({ name, value, optional }: LaunchOption, given: unknown, inline: boolean): string {
  if (value === undefined) {
    if (given !== undefined) throw new SettingsError(`--${name} takes no value; write --${name} alone.`);
    return "1";
  }
  if (optional && given === undefined) return "1";
  const text = typeof given === "string" ? given : "";
  if (text === "" || (!inline && text.startsWith("-")))
    throw new SettingsError(`--${name} needs a value; write --${name} ${value}.`);
  return text;
}

function takeWords(read: CommandLineArguments, words: string[]): void {
  const [first, second] = words;
  if (first === "doctor" || first === "service") {
    if (read.command === "start") read.command = first;
    words.shift();
  }
  if (first === "service") {
    const action = serviceActions.find((name) => name === second);
    if (action === undefined && read.command === "service") throw wrongAction(second);
    read.action = action ?? "install";
    words.shift();
  }
  const [folder, ...more] = words;
  if (more.length > 0)
    throw new SettingsError(
      `One folder can be served at a time, and "${more[0]}" is a second; put a path with spaces in quotes.`,
    );
  if (folder !== undefined) read.variables.HANDRAIL_WORKSPACE = folder;
}

function wrongAction(word: string | undefined): SettingsError {
  const meant = word === undefined ? undefined : nearest(word, serviceActions);
  return new SettingsError(
    meant
      ? `service has no "${word}"; did you mean service ${meant}?`
      : `service needs to know what to do; write service ${serviceActions.join(", service ")}.`,
  );
}

function unknownOption(raw: string, name: string, command: string): SettingsError {
  const names = [...options.map((option) => option.name), "help", "version"];
  const meant = nearest(name, names);
  if (meant) return new SettingsError(`There is no option ${raw}; did you mean --${meant}?`);
  const asVariable = name.toUpperCase().replaceAll("-", "_");
  const variable = knownVariables.find((known) => known === asVariable || known === `HANDRAIL_${asVariable}`);
  if (variable === "HANDRAIL_WORKSPACE")
    return new SettingsError(`There is no option ${raw}; write the folder without one: ${command} FOLDER.`);
  return new SettingsError(
    variable
      ? `There is no option ${raw}; set the variable ${variable} instead.`
      : `There is no option ${raw}; ${command} --help lists them.`,
  );
}
