// `handrail service install|uninstall|status`: a systemd user unit or a launchd agent that starts Handrail with the system.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { dataHome, homeOf } from "./places.ts";
import type { ServiceAction } from "./read-arguments.ts";
import { launchdAgent, systemdUnit } from "./service-files.ts";
import { SettingsError } from "./settings-error.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface Service {
  root: string;
  /** Settings that were given by options, kept in the service's own file. */
  variables: Readonly<Record<string, string>>;
  env: Env;
  platform?: NodeJS.Platform;
}

const label = "dev.handrail";
/** What the package needs to run; it is copied, since npm may clean the cache that npx ran it from. */
const needed = ["dist", "package.json", "wrangler.toml", "docs"];

/** Prints what it did; the exit code. Throws SettingsError. */
export function service(action: ServiceAction, asked: Service): number {
  const platform = asked.platform ?? process.platform;
  const file = serviceFile(platform, asked.env);
  if (action === "status") return status(platform, file, asked.env);
  return action === "install" ? install(platform, file, asked) : uninstall(platform, file, asked.env);
}

function serviceFile(platform: NodeJS.Platform, env: Env): string {
  if (platform === "darwin") return join(homeOf(env), "Library/LaunchAgents", `${label}.plist`);
  if (platform === "linux")
    return join(env.XDG_CONFIG_HOME || join(homeOf(env), ".config"), "systemd/user/handrail.service");
  throw new SettingsError(
    `service knows systemd and launchd, and this system is ${platform}; start handrail by your own means.`,
  );
}

function install(platform: NodeJS.Platform, file: string, { root, variables, env }: Service): number {
  const app = join(dataHome(env), "app");
  const log = join(dataHome(env), "handrail.log");
  const start = {
    node: process.execPath,
    script: join(app, "dist/handrail.mjs"),
    variables,
    path: env.PATH ?? "",
  };
  try {
    rmSync(app, { recursive: true, force: true });
    for (const name of needed)
      if (existsSync(join(root, name))) cpSync(join(root, name), join(app, name), { recursive: true });
    mkdirSync(dirname(file), { recursive: true });
    // Settings may hold a key.
    writeFileSync(file, platform === "darwin" ? launchdAgent(label, start, log) : systemdUnit(start), {
      mode: 0o600,
    });
    chmodSync(file, 0o600);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingsError(
      `The service could not be written (${why}); mend the folder's permissions, and try again.`,
    );
  }
  console.log(`copied     ${app}\nwrote      ${file}`);
  const commands =
    platform === "darwin"
      ? [["launchctl", "load", "-w", file]]
      : [
          ["systemctl", "--user", "daemon-reload"],
          ["systemctl", "--user", "enable", "handrail.service"],
          ["systemctl", "--user", "restart", "handrail.service"],
        ];
  const code = runAll(commands, env);
  if (code === 0) {
    const logs = platform === "darwin" ? `tail -f ${log}` : "journalctl --user -u handrail -f";
    console.log(`The pairing code is in its log: ${logs}`);
    if (platform === "linux") console.log("To have it run while you are logged out: loginctl enable-linger");
  }
  return code;
}

function uninstall(platform: NodeJS.Platform, file: string, env: Env): number {
  if (!existsSync(file)) throw new SettingsError(`There is no service to remove: ${file} is not there.`);
  const stop =
    platform === "darwin"
      ? ["launchctl", "unload", "-w", file]
      : ["systemctl", "--user", "disable", "--now", "handrail.service"];
  runAll([stop], env);
  rmSync(file);
  rmSync(join(dataHome(env), "app"), { recursive: true, force: true });
  console.log(`removed    ${file}\nSessions and settings stay.`);
  return 0;
}

function status(platform: NodeJS.Platform, file: string, env: Env): number {
  if (!existsSync(file)) {
    console.log(`not installed: ${file} is not there; install it with: handrail service install FOLDER`);
    return 1;
  }
  const args =
    platform === "darwin" ? ["launchctl", "list", label] : ["systemctl", "--user", "is-active", "handrail"];
  const [program = "", ...rest] = args;
  const done = spawnSync(program, rest, { env: { ...env }, encoding: "utf8" });
  const running = done.status === 0;
  console.log(`${file}: ${running ? "running" : "installed, and not running"}`);
  return running ? 0 : 1;
}

/** Runs them in turn; where one fails, says what is left to do by hand. */
function runAll(commands: readonly (readonly string[])[], env: Env): number {
  for (const [index, [program = "", ...args]] of commands.entries()) {
    const line = [program, ...args].join(" ");
    const done = spawnSync(program, args, { env: { ...env }, encoding: "utf8" });
    if (done.status === 0) {
      console.log(`ran        ${line}`);
      continue;
    }
    const why = (done.error?.message ?? done.stderr).trim().split("\n")[0];
    const left = commands.slice(index).map((command) => command.join(" "));
    console.log(`not run    ${line} (${why})\nRun in a session of your own: ${left.join(" && ")}`);
    return 1;
  }
  return 0;
}
