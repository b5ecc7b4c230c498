// The environment of each server process: only the variables that it needs, by name.

import { presets } from "../../functions/model/presets.ts";
import type { Env } from "./env.ts";
import { keyVariables } from "./key-variables.ts";

/** What every process needs from a person's shell; none of it is secret. */
const base = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TMPDIR",
  "TZ",
  "LANG",
  "LANGUAGE",
  "TERM",
  "COLORTERM",
];

/** The locations of toolchains, which commands in the person's repository look for. */
const toolchains = [
  "ANDROID_HOME",
  "CARGO_HOME",
  "CONDA_PREFIX",
  "DOTNET_ROOT",
  "GOPATH",
  "GOROOT",
  "JAVA_HOME",
  "NODE_EXTRA_CA_CERTS",
  "NVM_DIR",
  "PYENV_ROOT",
  "RUSTUP_HOME",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "VIRTUAL_ENV",
];

/** What other people's programs need in addition: the location of the desktop, the session bus and a proxy. */
const session =
  /^(DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|BROWSER|SSL_CERT_\w+|(HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy)$/;

/** The variables that the edge reads (functions/env.ts, functions/engines and the model providers). */
const edge = /^(OPENAI_|HANDRAIL_|E2B_|DOCKER_|SSH_AUTH_SOCK$|NODE_EXTRA_CA_CERTS$|SSL_CERT_|DENO_)/;

/**
 * The locations of agents that sign a person's commits and push over ssh. The sandbox server does not pass them on to
 * its commands.
 */
const agents = ["SSH_AUTH_SOCK", "GNUPGHOME"];

/** The sandbox server runs a model's commands, so it gets neither a provider's key nor the app's token. */
export function sandboxEnv(env: Env, own: Record<string, string>): Record<string, string> {
  return {
    ...pick(env, (name) => [...base, ...toolchains, ...agents].includes(name) || name.startsWith("LC_")),
    ...own,
  };
}

export function edgeEnv(env: Env, own: Record<string, string>): Record<string, string> {
  // A listed provider names the variable with its key (functions/model/read-providers.ts).
  const keys = [...keyVariables(env.HANDRAIL_PROVIDERS), ...presets.map(({ keyVariable }) => keyVariable)];
  return { ...pick(env, (name) => base.includes(name) || edge.test(name) || keys.includes(name)), ...own };
}

/** The environment of a browser, a tunnel or a package manager, without keys and tokens. */
export function programEnv(env: Env): Record<string, string> {
  return pick(env, (name) => base.includes(name) || name.startsWith("LC_") || session.test(name));
}

function pick(env: Env, wanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && wanted(entry[0]),
    ),
  );
}
