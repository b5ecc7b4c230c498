// The folders in which Handrail stores things on this machine, according to the XDG base directories on every system.
// It creates none. https://specifications.freedesktop.org/basedir-spec/latest/

import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Env } from "./env.ts";

export function configFile(env: Env): string {
  return join(xdg(env, "XDG_CONFIG_HOME", ".config"), "handrail", "config.json");
}

export function stateHome(env: Env): string {
  return join(xdg(env, "XDG_STATE_HOME", ".local/state"), "handrail");
}

export function dataHome(env: Env): string {
  return join(xdg(env, "XDG_DATA_HOME", ".local/share"), "handrail");
}

/** The state folder if no other place is writable. */
export function temporaryState(): string {
  return join(tmpdir(), `handrail-${process.getuid?.() ?? "state"}`);
}

export function homeOf(env: Env): string {
  return env.HOME || homedir();
}

/** A relative path counts as unset, as the specification demands. */
function xdg(env: Env, name: string, usual: string): string {
  const given = env[name];
  return given && isAbsolute(given) ? given : join(homeOf(env), usual);
}
