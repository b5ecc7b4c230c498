// systemd's user manager and launchd: their commands and output. The contents of the files are in service-files.ts.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { programEnv } from "./child-env.ts";
import type { Env } from "./env.ts";
import { dataHome, homeOf } from "./places.ts";
import { launchdAgent, type ServiceStart, systemdUnit } from "./service-files.ts";
import { SettingsError } from "./settings-error.ts";

/** A command, and why it failed; without `problem` it succeeded. */
export interface CommandOutcome {
  line: string;
  problem?: string;
}

export interface ServiceManager {
  file: string;
  /** The log file that it writes; absent = the log is in the journal. */
  log?: string;
  /** The command that shows the log. */
  readLog: string;
  text(start: ServiceStart): string;
  /** A sentence with the remedy if it is not available. */
  absence(): string | undefined;
  start(isAgain: boolean): (() => CommandOutcome)[];
  stop(): (() => CommandOutcome)[];
  /** Called after the file is removed. */
  forget(): void;
  isRunning(): boolean;
  /** Why it is not running, if that is known. */
  failure(): string | undefined;
  /** Lines about further steps. */
  afterwards(): string[];
}

const label = "dev.handrail";
const unit = "handrail.service";

/** Throws SettingsError on a system with neither. */
export function serviceManager(platform: NodeJS.Platform, env: Env): ServiceManager {
  if (platform === "darwin") return launchd(env);
  if (platform === "linux") return systemd(env);
  throw new SettingsError(
    `service knows systemd and launchd, and this system is ${platform}; start handrail by your own means.`,
  );
}

function systemd(env: Env): ServiceManager {
  const ask = (...args: string[]) => asked(env, "systemctl", "--user", ...args);
  const run =
    (...args: string[]) =>
    () =>
      outcome(env, "systemctl", "--user", ...args);
  return {
    file: join(env.XDG_CONFIG_HOME || join(homeOf(env), ".config"), "systemd/user", unit),
    readLog: "journalctl --user -u handrail -f",
    text: systemdUnit,
    absence: () => {
      const { problem } = ask("show-environment");
      return problem === undefined
        ? undefined
        : `systemd's user manager does not answer (${problem}), so nothing was written; log in as this user (not by su or sudo), or start handrail by your own means.`;
    },
    start: () => [run("daemon-reload"), run("enable", unit), run("restart", unit)],
    stop: () => [run("disable", "--now", unit)],
    forget: () => void ask("daemon-reload"),
    isRunning: () => ask("is-active", unit).problem === undefined,
    failure: () => {
      const { said } = ask("show", "-p", "ActiveState,SubState", unit);
      if (!/ActiveState=failed|SubState=auto-restart/.test(said)) return undefined;
      const { said: log } = asked(env, "journalctl", "--user", "-u", unit, "-n", "20", "-o", "cat");
      return lastWords(log) || "it ended at once";
    },
    afterwards: () => {
      const { said } = asked(env, "loginctl", "show-user", userInfo().username, "-p", "Linger", "--value");
      return said.trim() === "yes"
        ? ["runs       from the system's start on, also while you are logged out (linger is on)"]
        : ["runs       while you are logged in; to have it run always: loginctl enable-linger"];
    },
  };
}

function launchd(env: Env): ServiceManager {
  const run =
    (...args: string[]) =>
    () =>
      outcome(env, "launchctl", ...args);
  const file = join(homeOf(env), "Library/LaunchAgents", `${label}.plist`);
  const log = join(dataHome(env), "handrail.log");
  return {
    ...{ file, log, readLog: `tail -f ${log}` },
    text: (start) => launchdAgent(label, start, log),
    absence: () => undefined,
    // A loaded service keeps its old settings until it is unloaded.
    start: (isAgain) => {
      if (isAgain) asked(env, "launchctl", "unload", file);
      return [run("load", "-w", file)];
    },
    stop: () => [run("unload", "-w", file)],
    forget: () => undefined,
    isRunning: () => /"PID"\s*=\s*\d/.test(asked(env, "launchctl", "list", label).said),
    failure: () => {
      const status = /"LastExitStatus"\s*=\s*(\d+)/.exec(asked(env, "launchctl", "list", label).said)?.[1];
      if (status === undefined || status === "0") return undefined;
      return lastWords(existsSync(log) ? readFileSync(log, "utf8") : "") || `it ended with status ${status}`;
    },
    afterwards: () => ["runs       while you are logged in"],
  };
}

function outcome(env: Env, program: string, ...args: string[]): CommandOutcome {
  const { problem } = asked(env, program, ...args);
  return { line: [program, ...args].join(" "), ...(problem === undefined ? {} : { problem }) };
}

function asked(env: Env, program: string, ...args: string[]): { said: string; problem?: string } {
  const done = spawnSync(program, args, { env: programEnv(env), encoding: "utf8", timeout: 60_000 });
  const said = done.stdout ?? "";
  if (done.status === 0) return { said };
  const why = done.error?.message ?? done.stderr.trim().split("\n")[0];
  return { said, problem: why || `status ${done.status}` };
}

function lastWords(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
