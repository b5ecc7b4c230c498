// `npm start`: checks, builds what is missing, starts sandbox, demo model and edge as processes of this group.
import { randomBytes } from "node:crypto";
import { Config } from "../shared/api.ts";
import { ErrorBody } from "../shared/errors.ts";
import type { PartName } from "./build/parts.ts";
import { build, dist, root } from "./build.ts";
import { banner } from "./launch/banner.ts";
import { type Child, type ChildSpec, startChild } from "./launch/child.ts";
import { chooseModel } from "./launch/model.ts";
import { checkPort, demoServer, edgeParts, edgeServer, sandboxServer } from "./launch/servers.ts";
import { readSettings, SettingsError } from "./launch/settings.ts";
import { vapidVariables } from "./launch/vapid.ts";

const children: Child[] = [];
let ending = false;

async function main(): Promise<void> {
  const settings = readSettings(process.env, root);
  await checkPort(settings.host, settings.port);
  const model = await chooseModel(process.env);
  const parts: PartName[] = ["pwa", ...edgeParts[settings.runtime]];
  if (!settings.sandbox) parts.push("sandbox");
  if (model.kind === "demo") parts.push("demo");
  const made = await build(parts);
  if (made.length > 0) console.log(`built: ${made.join(", ")}`);

  const sandboxToken = randomBytes(32).toString("base64url");
  const [sandbox, demo] = await Promise.all([
    settings.sandbox ? undefined : start(sandboxServer(dist, settings, process.env, sandboxToken)),
    model.kind === "demo" ? start(demoServer(dist, process.env)) : undefined,
  ]);
  const edge = await start(
    edgeServer(dist, settings, process.env, {
      SANDBOX_URL: settings.sandbox?.url ?? sandbox?.url ?? "",
      SANDBOX_TOKEN: settings.sandbox?.token ?? sandboxToken,
      ...(demo ? { HANDRAIL_DEMO_URL: demo.url } : {}),
      ...model.variables,
      ...vapidVariables(process.env, settings.stateDir, settings.publicUrl),
    }),
  );
  const config = process.env.HANDRAIL_ACCESS_TEAM ? undefined : await readConfig(edge.url, settings.token);
  console.log(banner(settings, edge.url, config, model.kind));
  console.log(`ready ${edge.url}`);
}

async function start(spec: ChildSpec): Promise<Child> {
  const child = await startChild(spec);
  children.push(child);
  void child.ended.then(async (how) => {
    // Ctrl-C reaches the whole group at once: give our own handler its turn before calling this unexpected.
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (!ending)
      await end(
        1,
        `${child.name} ended unexpectedly (${how}); Handrail ends with it. Start it again: npm start`,
      );
  });
  return child;
}

/** The app's own answer to the app's own question: what is printed is what is served. */
async function readConfig(url: string, token: string): Promise<Config> {
  const local = url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  const response = await fetch(`${local}/api/config`, { headers: { authorization: `Bearer ${token}` } });
  if (response.ok) return Config.parse(await response.json());
  const { error } = ErrorBody.parse(await response.json());
  throw new Error(
    error.code === "sandbox_unreachable"
      ? "SANDBOX_URL: the sandbox server there does not answer, or refuses SANDBOX_TOKEN; start it, or check both."
      : `The edge started, and answers ${response.status} to GET /api/config: ${error.message}`,
  );
}

async function end(exitCode: number, line?: string): Promise<void> {
  if (ending) return;
  ending = true;
  if (line !== undefined) console.error(line);
  await Promise.all(children.map((child) => child.end()));
  process.exit(exitCode);
}

/** npm is our parent process, and kill -9 on it does not reach us. */
function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void end(0);
  }, 250).unref();
}

process.on("SIGINT", () => void end(130));
process.on("SIGTERM", () => void end(0));
process.on("SIGHUP", () => void end(0));
endWithNpm();
try {
  await main();
} catch (error) {
  const known = error instanceof SettingsError || error instanceof Error;
  await end(1, known ? error.message : String(error));
}
