// The environment that each server process gets: what it needs by name, and nothing that happens to be there.

import { presets } from "../../functions/model/presets.ts";
import type { Env } from "./env.ts";
import { keyVariables } from "./key-variables.ts";

/** What any process needs of a person's shell; nothing here is a secret. */
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

/** Where toolchains live: commands of the person's repository look for them. */
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

/** What programs of others that we start need beside that: where the desktop, the session's bus and a proxy are. */
const session =
  /^(DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|BROWSER|SSL_CERT_\w+|(HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy)$/;

/** What the edge reads (functions/env.ts, functions/engines and the model providers). */
const edge = /^(OPENAI_|HANDRAIL_|E2B_|DOCKER_|SSH_AUTH_SOCK$|NODE_EXTRA_CA_CERTS$|SSL_CERT_|DENO_)/;

/** Where the agents are that sign a person's commits, and push over ssh. The sandbox server gives its commands none of them. */
const agents = ["SSH_AUTH_SOCK", "GNUPGHOME"];

/** The sandbox server runs a model's commands: it never sees a provider's key or the app's token. */
export function sandboxEnv(env: Env, own: Record<string, string>): Record<string, string> {
  return {
    ...pick(env, (name) => [...base, ...toolchains, ...agents].includes(name) || name.startsWith("LC_")),
    ...own,
  };
}

export function edgeEnv(env: Env, own: Record<string, string>): Record<string, string> {
  // A listed provider names the variable that holds its key (functions/model/provider.ts).
  const keys = [...keyVariables(env.HANDRAIL_PROVIDERS), ...presets.map(({ keyVariable }) => keyVariable)];
  return { ...pick(env, (name) => base.includes(name) || edge.test(name) || keys.includes(name)), ...own };
}

/** A browser, a tunnel, a package manager: none of them sees a key or a token. */
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
