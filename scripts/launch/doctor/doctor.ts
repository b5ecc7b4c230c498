// `handrail doctor`: checks this machine and these settings, and names the one command that fixes each problem.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Capabilities } from "../../../shared/capabilities.ts";
import { startChild } from "../child.ts";
import type { Env } from "../env.ts";
import { checkPort, isHandrail } from "../ports.ts";
import { sandboxServer } from "../servers.ts";
import type { LaunchSettings } from "../settings.ts";
import { foundTunnels } from "../tunnel.ts";
import { type DoctorFinding, inWords } from "./finding.ts";
import { checkModel } from "./model.ts";
import { checkBubblewrap, checkGit, checkNode, checkRipgrep, installingTunnel } from "./programs.ts";

/** Prints the findings and returns the exit code: 1 if a start would fail. */
export async function doctor(
  dist: string,
  command: string,
  settings: LaunchSettings,
  env: Env,
): Promise<number> {
  const tried = await trySandbox(dist, settings, env);
  const findings: DoctorFinding[] = [
    checkNode(),
    checkGit(env),
    checkBubblewrap(tried.isolation, env),
    checkRipgrep(env),
    ...(tried.problem ? [{ state: "fail" as const, what: "sandbox", text: tried.problem }] : []),
    await checkThePort(settings, command),
    await checkModel(env, command),
    await checkDisk(settings, command),
    checkFolder(settings),
    checkPhone(settings, env, command),
  ];
  console.log(inWords(findings));
  return findings.some(({ state }) => state === "fail") ? 1 : 0;
}

/**
 * The real server tries the jail when it starts. Here it gets a temporary state folder, because another server may be
 * running.
 */
async function trySandbox(
  dist: string,
  settings: LaunchSettings,
  env: Env,
): Promise<{ isolation?: Capabilities["isolation"]; problem?: string }> {
  const state = mkdtempSync(join(tmpdir(), "handrail-doctor-"));
  try {
    const token = randomBytes(32).toString("base64url");
    const own = { ...settings, workspace: undefined, stateDir: state };
    const server = await startChild(sandboxServer(dist, own, env, token));
    try {
      const response = await fetch(`${server.url}/v1/capabilities`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return { isolation: Capabilities.parse(await response.json()).isolation };
    } finally {
      await server.end();
    }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

async function checkThePort({ host, port }: LaunchSettings, command: string): Promise<DoctorFinding> {
  const what = "port";
  try {
    await checkPort(host, port);
    return { state: "ok", what, text: `${port === 0 ? "any free one" : port} on ${host}` };
  } catch (error) {
    if (await isHandrail(host, port))
      return { state: "ok", what, text: `${port}: Handrail is running there now` };
    const text = error instanceof Error ? error.message : String(error);
    return { state: "fail", what, text, mend: `${command} --port 0` };
  }
}

const enoughBytes = 2 * 1024 ** 3;

async function checkDisk(
  { stateDir, stateIsTemporary }: LaunchSettings,
  command: string,
): Promise<DoctorFinding> {
  const what = "disk";
  const { bavail, bsize } = await statfs(stateDir);
  const free = bavail * bsize;
  const text = `${(free / 1024 ** 3).toFixed(1)} GiB free at ${stateDir}`;
  const mend = `${command} --state /a/larger/disk/handrail`;
  if (free < enoughBytes) return { state: free < enoughBytes / 20 ? "fail" : "warn", what, text, mend };
  if (stateIsTemporary)
    return {
      state: "warn",
      what,
      text: `${text}, which is temporary: the home folder cannot be written`,
      mend,
    };
  return { state: "ok", what, text };
}

function checkFolder({ workspace }: LaunchSettings): DoctorFinding {
  const text = workspace ?? "none set: sessions work on copies of a sample project";
  return { state: "ok", what: "folder", text };
}

function checkPhone({ publicUrl, host, tunnel }: LaunchSettings, env: Env, command: string): DoctorFinding {
  const what = "phone";
  const here = foundTunnels(env).map(({ name }) => name);
  if (publicUrl) return { state: "ok", what, text: `gets in at ${publicUrl}` };
  if (tunnel) {
    const isThere = here.some((name) => tunnel === "any" || name === tunnel);
    if (isThere) return { state: "ok", what, text: `gets in by ${tunnel === "any" ? here[0] : tunnel}` };
    return {
      state: "fail",
      what,
      text: `no ${tunnel === "any" ? "tunnel program" : tunnel} is on this machine`,
      mend: installingTunnel(tunnel, env),
    };
  }
  if (host === "0.0.0.0" || host === "::")
    return {
      state: "warn",
      what,
      text: "gets in on this network, over plain http: without install and notifications",
    };
  const mend = here[0] ? `${command} --tunnel=${here[0]}` : `${command} --host 0.0.0.0`;
  return { state: "warn", what, text: `only this machine gets in (${host})`, mend };
}
