// Makes the app reachable for a phone over https: starts a tunnel program and reads its URL from its output.

import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import type { Child } from "./child.ts";
import { programEnv } from "./child-env.ts";
import type { Env } from "./env.ts";
import { SettingsError } from "./settings-error.ts";

type TunnelName = "tailscale" | "cloudflared";

interface TunnelProgram {
  label: string;
  /** The arguments, for the app's port on loopback. */
  args(port: number): string[];
  /** The URL, if the output so far contains it. */
  url(printed: string): string | undefined;
  /** A sentence with the remedy if the output contains a known refusal; undefined = none. */
  refusal(printed: string): string | undefined;
}

/** Their output was taken from their logs and sources: tailscale 1.58 to 1.88, cloudflared 2022.1 to 2026.5. */
const programs: Readonly<Record<TunnelName, TunnelProgram>> = {
  tailscale: {
    label: "The tunnel (tailscale serve)",
    // In the foreground, tailscale removes the entry when its process ends.
    args: (port) => ["serve", `http://127.0.0.1:${port}`],
    url: (printed) => /Available within your tailnet:\s+(https:\/\/[^\s/]+)/.exec(printed)?.[1],
    refusal: (printed) => {
      const enable = /Serve is not enabled on your tailnet[\s\S]*?(https:\/\/\S+)/.exec(printed)?.[1];
      if (enable) return `Tailscale Serve is not enabled on your tailnet; open ${enable} and start again.`;
      if (/Logged out|NeedsLogin|not logged in/i.test(printed))
        return "Tailscale is logged out on this machine; run: tailscale up";
      if (/Access denied/.test(printed))
        return "Tailscale lets only its operator serve; run: sudo tailscale set --operator=$USER";
      if (/(failed to connect to local tailscaled|doesn't appear to be running)/.test(printed))
        return "Tailscale's service does not run on this machine; run: sudo systemctl start tailscaled";
      if (/foreground.*already|already in use|listener already exists/.test(printed))
        return "Tailscale already serves something under this name; look with: tailscale serve status";
      return undefined;
    },
  },
  cloudflared: {
    label: "The tunnel (cloudflared)",
    args: (port) => ["tunnel", "--no-autoupdate", "--url", `http://127.0.0.1:${port}`],
    url: (printed) => /(https:\/\/[a-z0-9-]+\.trycloudflare\.com)\b/.exec(withoutApi(printed))?.[1],
    refusal: (printed) => {
      if (/no such host|network is unreachable|i\/o timeout/.test(printed))
        return "cloudflared does not reach trycloudflare.com; check this machine's connection, and start again.";
      if (/429 Too Many Requests/.test(printed))
        return "trycloudflare.com gives this address no more tunnels for now; wait a few minutes, or use --tunnel=tailscale.";
      return undefined;
    },
  },
};

/** Error messages contain the service's own address, which must not be taken for the tunnel's. */
const withoutApi = (printed: string) => printed.replaceAll("https://api.trycloudflare.com", "");

const maxWaitMs = 45_000;
const keptChars = 20_000;

/**
 * Tunnel programs on the PATH or in their usual folders, the better one first: tailscale serves only the
 * person's own devices.
 */
export function foundTunnels(env: Env): { name: TunnelName; path: string }[] {
  const names: TunnelName[] = ["tailscale", "cloudflared"];
  const folders = [...(env.PATH ?? "").split(delimiter).filter(Boolean), ...usualFolders];
  return names.flatMap((name) => {
    const path = folders.map((folder) => join(folder, name)).find(isExecutable);
    return path ? [{ name, path }] : [];
  });
}

const usualFolders = ["/usr/local/bin", "/opt/homebrew/bin", "/Applications/Tailscale.app/Contents/MacOS"];

/** Throws SettingsError if it is not installed. */
export function tunnelProgram(wanted: TunnelName | "any", env: Env): { name: TunnelName; path: string } {
  const found = foundTunnels(env).find(({ name }) => wanted === "any" || name === wanted);
  if (found !== undefined) return found;
  const missing = wanted === "any" ? "neither tailscale nor cloudflared is" : `${wanted} is not`;
  throw new SettingsError(
    `--tunnel: ${missing} on this machine; install one (https://tailscale.com/download), or leave --tunnel out.`,
  );
}

export interface Tunnel {
  /** Rejects with a SettingsError of one sentence after the program has ended. */
  url: Promise<string>;
  name: string;
  ended: Child["ended"];
  /** Can be called even while the program is starting. */
  end: Child["end"];
}

/**
 * Ends the program when this process has ended for whatever reason. Its pipe (fd 3) then closes, and the program, which
 * has the shell's process id, is interrupted as if by Ctrl-C.
 */
const guarded = `exec 4<&3 3<&-
(cat <&4; case "$(ps -o args= -p $$)" in *"$0"*) kill -INT $$ ;; esac) >/dev/null 2>&1 &
exec "$0" "$@" 4<&-`;

/** `port`: that of the app, which need not listen yet. Throws SettingsError if no program is installed. */
export function startTunnel(wanted: TunnelName | "any", port: number, env: Env): Tunnel {
  const found = tunnelProgram(wanted, env);
  const program = programs[found.name];
  const child = spawn("/bin/sh", ["-c", guarded, found.path, ...program.args(port)], {
    env: programEnv(env),
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `code ${code}`));
  });
  const end = (graceMs?: number) => endTunnel(child, ended, graceMs);
  const url = urlOf(child, program, ended).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return { url, name: program.label, ended, end };
}

/** Continues to read after the URL is found, because the program would block on a full pipe. */
function urlOf(child: ChildProcess, program: TunnelProgram, ended: Promise<string>): Promise<string> {
  let printed = "";
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => refuse(`it named no address within ${maxWaitMs / 1_000} seconds`),
      maxWaitMs,
    );
    const refuse = (how: string) => {
      clearTimeout(timer);
      const said = program.refusal(printed);
      reject(new SettingsError(said ?? `${program.label} did not start: ${lastWords(printed) || how}`));
    };
    const take = (line: string) => {
      printed = `${printed}${line}\n`.slice(-keptChars);
      const url = program.url(printed);
      if (url !== undefined) {
        clearTimeout(timer);
        resolve(url);
      } else if (program.refusal(printed) !== undefined) refuse("");
    };
    for (const stream of [child.stdout, child.stderr])
      if (stream) createInterface({ input: stream }).on("line", take);
    void ended.then((how) => refuse(`it ended with ${how}`));
  });
}

function lastWords(printed: string): string {
  return printed.trim().split("\n").at(-1) ?? "";
}

/** After SIGINT, tailscale removes its entry and cloudflared closes its connections. */
async function endTunnel(child: ChildProcess, ended: Promise<string>, graceMs = 3_000): Promise<void> {
  child.kill("SIGINT");
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await ended;
  clearTimeout(timer);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
