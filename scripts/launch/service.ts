// `handrail service install|uninstall|status`: a systemd user unit or a launchd agent that starts Handrail with the system.
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { phoneUrl } from "./banner.ts";
import { dataHome } from "./places.ts";
import { isHandrail, localUrl } from "./ports.ts";
import type { ServiceAction } from "./read-arguments.ts";
import { checked, type Service, startOf } from "./service-checks.ts";
import { type CommandOutcome, type ServiceManager, serviceManager } from "./service-managers.ts";
import type { LaunchSettings } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";

/** What the package needs to run. It is copied, because npm may clean the cache from which npx ran it. */
const needed = ["dist", "package.json", "wrangler.toml", "docs"];

/** A tunnel reports its address within this time. */
const maxWaitMs = 60_000;

/** Prints what it did and returns the exit code. Throws SettingsError, if possible before anything is written. */
export async function service(action: ServiceAction, asked: Service): Promise<number> {
  const manager = serviceManager(asked.platform ?? process.platform, asked.env);
  if (action === "status") return status(manager, asked.command);
  return action === "install" ? await install(manager, asked) : uninstall(manager, asked);
}

async function install(manager: ServiceManager, asked: Service): Promise<number> {
  const { settings, node, notes } = await checked(manager, asked);
  const app = join(dataHome(asked.env), "app");
  const isAgain = existsSync(manager.file);
  writing(() => {
    copyPackage(asked.root, app);
    mkdirSync(dirname(manager.file), { recursive: true });
    const text = manager.text(startOf(asked, node, join(app, "dist/handrail.mjs")));
    // The settings may contain a key, and the log contains the token.
    for (const [path, content] of [[manager.file, text], ...(manager.log ? [[manager.log, ""]] : [])])
      if (path !== undefined) {
        writeFileSync(path, content ?? "", { mode: 0o600 });
        chmodSync(path, 0o600);
      }
  });
  console.log(`copied     ${app}\nwrote      ${manager.file}`);
  if (!runAll(manager.start(isAgain))) return 1;
  const problem = await untilItAnswers(manager, settings, asked.waitMs ?? maxWaitMs);
  if (problem !== undefined) {
    console.log(`${problem}\nlog        ${manager.readLog}\nremove it  ${asked.command} service uninstall`);
    return 1;
  }
  const url = localUrl(settings.host, settings.port);
  const pair = settings.tunnel
    ? "in its log: a tunnel has its address from its start on"
    : `${phoneUrl(settings, url)}/#pair=${settings.token}`;
  const lines = [`answers    ${url}`, `pair       ${pair}`, `log        ${manager.readLog}`, ...notes];
  console.log([...lines, ...manager.afterwards()].join("\n"));
  return 0;
}

/** The old copy stays in use until the new one is complete. */
function copyPackage(root: string, app: string): void {
  const next = `${app}.next`;
  rmSync(next, { recursive: true, force: true });
  for (const name of needed)
    if (existsSync(join(root, name))) cpSync(join(root, name), join(next, name), { recursive: true });
  rmSync(app, { recursive: true, force: true });
  renameSync(next, app);
}

function writing(write: () => void): void {
  try {
    write();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingsError(
      `The service could not be written (${why}); mend the folder's permissions, and try again.`,
    );
  }
}

/** undefined = it answers; otherwise a description of the problem. */
async function untilItAnswers(
  manager: ServiceManager,
  { host, port }: LaunchSettings,
  waitMs: number,
): Promise<string | undefined> {
  const until = performance.now() + waitMs;
  while (performance.now() < until) {
    if (await isHandrail(host, port)) return undefined;
    const words = manager.failure();
    if (words !== undefined) return `not started: ${words}`;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return `not started: nothing answers at ${localUrl(host, port)} after ${waitMs / 1_000} seconds`;
}

function uninstall(manager: ServiceManager, { command, env }: Service): number {
  if (!existsSync(manager.file))
    throw new SettingsError(
      `There is no service to remove: ${manager.file} is not there; ${command} service status says more.`,
    );
  runAll(manager.stop());
  rmSync(manager.file);
  rmSync(join(dataHome(env), "app"), { recursive: true, force: true });
  if (manager.log) rmSync(manager.log, { force: true });
  manager.forget();
  console.log(`removed    ${manager.file}\nSessions and settings stay.`);
  return 0;
}

function status(manager: ServiceManager, command: string): number {
  if (!existsSync(manager.file)) {
    console.log(
      `not installed: ${manager.file} is not there; install it with: ${command} service install FOLDER`,
    );
    return 1;
  }
  const isRunning = manager.isRunning();
  console.log(`${manager.file}: ${isRunning ? "running" : "installed, and not running"}`);
  console.log(`log        ${manager.readLog}`);
  return isRunning ? 0 : 1;
}

/** Runs the commands in order; if one fails, lists those that remain to be run by hand. */
function runAll(commands: readonly (() => CommandOutcome)[]): boolean {
  for (const [index, command] of commands.entries()) {
    const { line, problem } = command();
    if (problem === undefined) {
      console.log(`ran        ${line}`);
      continue;
    }
    console.log(`not run    ${line} (${problem})`);
    if (index + 1 < commands.length) console.log("What comes after it was not run either.");
    return false;
  }
  return true;
}
