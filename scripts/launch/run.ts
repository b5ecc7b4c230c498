// The program that a person starts, from a clone (`npm start`) or from the package (`handrail`).

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as z from "zod/mini";
import { type BuildPartName, partNames } from "../build/parts.ts";
import { doctor } from "./doctor/doctor.ts";
import type { Env } from "./env.ts";
import { askFirst, keepAnswers } from "./first-run.ts";
import { help } from "./help.ts";
import { Launcher } from "./launch.ts";
import { type CommandLineArguments, readArguments } from "./read-arguments.ts";
import { readSources, type Sources } from "./read-sources.ts";
import { realTerminal } from "./real-terminal.ts";
import { service } from "./service.ts";
import { type Runtime, readSettings } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";

export interface LaunchedProgram {
  /** The folder of package.json. */
  root: string;
  dist: string;
  /** The command that a person types before the folder and options. */
  command: string;
  /** Where sessions are stored unless a setting says otherwise, best first. */
  stateFolders: readonly string[];
  /** Only in a clone, which asks no questions and builds missing parts. */
  build?: (parts: readonly BuildPartName[]) => Promise<readonly BuildPartName[]>;
  /** Only in a clone: installs what a runtime needs besides Node. */
  getRuntime?: (runtime: Runtime) => void;
}

/** Ends the process when the command is done. If it fails, prints one sentence and ends with code 1. */
export async function run(program: LaunchedProgram, args: readonly string[], env: Env): Promise<void> {
  let launcher: Launcher | undefined;
  const end = (exitCode: number) => (launcher ? launcher.end(exitCode) : process.exit(exitCode));
  process.on("SIGINT", () => void end(130));
  process.on("SIGTERM", () => void end(0));
  process.on("SIGHUP", () => void end(0));
  endWithNpm(() => void end(0));
  try {
    checkNode();
    const read = readArguments(args, process.cwd(), program.command);
    const done = await carryOut(program, read, env, (made) => {
      launcher = made;
    });
    if (done !== undefined) process.exit(done);
  } catch (error) {
    const line = error instanceof Error ? error.message : String(error);
    if (launcher) await launcher.end(1, line);
    console.error(line);
    process.exit(1);
  }
}

/** Returns the exit code; undefined = servers are running. */
async function carryOut(
  program: LaunchedProgram,
  read: CommandLineArguments,
  env: Env,
  launching: (launcher: Launcher) => void,
): Promise<number | undefined> {
  const version = versionOf(program.root);
  if (read.command === "version") {
    console.log(version);
    return 0;
  }
  if (read.command === "help") {
    console.log(help(program.command, version, join(program.root, "docs/settings.md"), env));
    return 0;
  }
  if (read.command === "service") {
    await program.build?.(partNames);
    return await service(read.action, {
      root: program.root,
      command: program.command,
      variables: read.variables,
      env,
    });
  }
  const reader = { command: program.command, own: program.build ? program.root : undefined };
  const first = readSources(read.variables, env, process.cwd(), reader);
  const sources = await withAnswers(program, read, env, first);
  const settings = readSettings(sources.env, process.cwd(), program.stateFolders);
  if (read.command === "doctor") {
    await program.build?.(["sandbox"]);
    return doctor(program.dist, program.command, settings, sources.env);
  }
  const launcher = new Launcher({
    dist: program.dist,
    command: program.command.replace(/ --$/, ""),
    settings,
    env: sources.env,
    build: program.build,
    getRuntime: program.getRuntime,
    notes: notesOf(sources),
  });
  launching(launcher);
  await launcher.start();
  return undefined;
}

/** Asks questions at the package's first start in a terminal. The answers have the same precedence as config.json. */
async function withAnswers(
  program: LaunchedProgram,
  read: CommandLineArguments,
  env: Env,
  sources: Sources,
): Promise<Sources> {
  if (program.build || read.command !== "start" || sources.config !== undefined) return sources;
  const terminal = realTerminal(program.command);
  if (terminal === undefined) return sources;
  try {
    const answers = await askFirst(terminal, sources.env, process.cwd());
    if (answers === undefined) return sources;
    terminal.say(keepAnswers(env, answers));
    return readSources({ ...answers, ...read.variables }, env, process.cwd(), { command: program.command });
  } finally {
    terminal.close();
  }
}

/** Says which files settings came from, if the person did not type them. */
function notesOf({ from, notes }: Sources): string[] {
  const files = [...new Set(from.values())].map((file) => {
    const names = [...from].filter(([, path]) => path === file).map(([name]) => name);
    const shown = relative(process.cwd(), file);
    return `settings   ${names.join(", ")} from ${shown.startsWith("..") ? file : shown}`;
  });
  return [...files, ...notes.map((note) => `note       ${note}`)];
}

export function versionOf(root: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return z.parse(z.object({ version: z.string() }), manifest).version;
}

/** Checks for the Node version for which the bundles are built. */
function checkNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SettingsError(
    `Handrail needs Node 20.19 or newer, and this is ${process.versions.node}; install one from https://nodejs.org.`,
  );
}

/** npm is our parent process, and we get no signal if it is killed with -9. */
function endWithNpm(end: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, 250).unref();
}
