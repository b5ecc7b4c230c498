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
  /** What a person types before folder and options. */
  command: string;
  /** Where sessions are kept unless a setting says otherwise, the best one first. */
  stateFolders: readonly string[];
  /** In a clone, which asks nothing and builds missing parts. */
  build?: (parts: readonly BuildPartName[]) => Promise<readonly BuildPartName[]>;
  /** Installs what a runtime needs beside Node, in a clone. */
  getRuntime?: (runtime: Runtime) => void;
}

/** Ends the process where the command is done, or could not be carried out: then with one sentence and code 1. */
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

/** The exit code; undefined = servers run. */
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

/** Asks at the first start of the package in a terminal; the answers count like config.json. */
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

/** Where settings came from that the person did not type just now. */
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

/** What the bundles are made for. */
function checkNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SettingsError(
    `Handrail needs Node 20.19 or newer, and this is ${process.versions.node}; install one from https://nodejs.org.`,
  );
}

/** npm is our parent process, and kill -9 on it does not reach us. */
function endWithNpm(end: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, 250).unref();
}
