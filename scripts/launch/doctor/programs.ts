// Finds out which programs are installed by running them, and names the command that installs a missing one.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { programEnv } from "../child-env.ts";
import type { Env } from "../env.ts";
import type { DoctorFinding } from "./finding.ts";

/** The install command of each package manager; https://repology.org lists the package names (read 2026-11). */
const managers: readonly [program: string, install: string][] = [
  ["apt-get", "apt-get install -y"],
  ["dnf", "dnf install -y"],
  ["pacman", "pacman -S --noconfirm"],
  ["apk", "apk add"],
  ["zypper", "zypper install -y"],
  ["brew", "brew install"],
];

export function checkNode(): DoctorFinding {
  const version = process.versions.node;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return { state: "ok", what: "Node", text: version };
  const mend = "npx --package node@22 --package handrail handrail doctor";
  return { state: "fail", what: "Node", text: `${version}; 20.19 or newer is needed`, mend };
}

export function checkGit(env: Env): DoctorFinding {
  const { found, said } = tried("git", ["--version"], env);
  if (found) return { state: "ok", what: "git", text: said.replace(/^git version /, "") };
  return { state: "fail", what: "git", text: "not found; sessions need it", mend: installing("git", env) };
}

export function checkRipgrep(env: Env): DoctorFinding {
  const { found, said } = tried("rg", ["--version"], env);
  if (found)
    return { state: "ok", what: "ripgrep", text: (said.split("\n")[0] ?? "").replace(/^ripgrep /, "") };
  const text = "not found; searching is slower without it";
  return { state: "warn", what: "ripgrep", text, mend: installing("ripgrep", env) };
}

/** `isolation`: what the sandbox server reported after trying the jail; undefined = it did not start. */
export function checkBubblewrap(isolation: "bubblewrap" | "none" | undefined, env: Env): DoctorFinding {
  const what = "bubblewrap";
  if (process.platform === "darwin") {
    const text = "for Linux only; commands run as you, and plan mode is limited to an allow-list";
    return { state: "warn", what, text };
  }
  if (isolation === "bubblewrap")
    return { state: "ok", what, text: "tried: a command ran in the jail and did not get out" };
  if (env.HANDRAIL_NO_BWRAP === "1")
    return { state: "warn", what, text: "turned off by HANDRAIL_NO_BWRAP", mend: "unset HANDRAIL_NO_BWRAP" };
  const { found, said } = tried("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"], env);
  const without = "commands run as you, and plan mode is limited to an allow-list";
  if (!found && said === "")
    return { state: "warn", what, text: `not found; ${without}`, mend: installing("bubblewrap", env) };
  const why = said.trim().split("\n").at(-1) ?? "";
  return {
    state: "warn",
    what,
    text: `refused here (${why || "its trial failed"}); ${without}`,
    mend: unlocking(),
  };
}

/** The command for the kernel setting that usually forbids user namespaces. */
function unlocking(): string {
  const off = (path: string, value: string) =>
    existsSync(path) && readFileSync(path, "utf8").trim() === value;
  // Ubuntu since 23.10.
  if (off("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"))
    return "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
  // Debian up to 10, and hardened kernels.
  if (off("/proc/sys/kernel/unprivileged_userns_clone", "0"))
    return "sudo sysctl -w kernel.unprivileged_userns_clone=1";
  if (off("/proc/sys/user/max_user_namespaces", "0")) return "sudo sysctl -w user.max_user_namespaces=15000";
  return "in a container, start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined";
}

function tried(program: string, args: readonly string[], env: Env): { found: boolean; said: string } {
  const done = spawnSync(program, [...args], { env: programEnv(env), encoding: "utf8", timeout: 10_000 });
  return { found: done.status === 0, said: done.error ? "" : (done.stdout || done.stderr || "").trim() };
}

function installing(name: string, env: Env): string {
  const manager = managers.find(([program]) => tried(program, ["--version"], env).found);
  if (manager === undefined) return `install ${name} with your system's package manager`;
  const [program, command] = manager;
  const asRoot = program === "brew" || process.getuid?.() === 0 ? "" : "sudo ";
  return `${asRoot}${command} ${name}`;
}

/** https://tailscale.com/kb/1031/install-linux and Cloudflare's download page (read 2026-11). */
export function installingTunnel(wanted: "tailscale" | "cloudflared" | "any", env: Env): string {
  const name = wanted === "any" ? "tailscale" : wanted;
  if (tried("brew", ["--version"], env).found) return `brew install ${name}`;
  return name === "tailscale"
    ? "curl -fsSL https://tailscale.com/install.sh | sh"
    : "download it from https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/downloads/";
}
