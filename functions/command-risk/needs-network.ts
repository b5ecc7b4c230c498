// Recognises commands that need the network: downloads, package managers that fetch, git with a remote. In a jail
// without a network, the person is asked before such a command runs in vain. What scripts do becomes known only when
// they fail.

import { asCode } from "../../shared/as-code.ts";
import { otherHost } from "./address.ts";
import { parseCommandLine } from "./command-line.ts";
import { innerScripts } from "./inner-scripts.ts";
import { type Invocation, invocationsOf } from "./invocation.ts";
import { always, toHost } from "./network-programs.ts";

export interface NetworkNeed {
  /** The part of the line that needs the network. */
  what: string;
  /** The hosts that the line names, without duplicates. */
  hosts: string[];
}

/**
 * Verbs that fetch from a registry or a remote. They are matched against the program and its first words that are not
 * options.
 */
const fetches: readonly RegExp[] = [
  /^npm (ci|i|install|add|update|upgrade|outdated|audit|view|info|search|publish|create|init \S+)\b/,
  /^(pnpm|yarn|bun) (i|install|add|up|update|upgrade|outdated|audit|info|search|create)\b/,
  /^yarn$/,
  /^pip[\d.]* (install|download|index|search)\b/,
  /^(poetry|pdm|pipenv|uv|rye|hatch) (install|add|sync|lock|update|pip install)\b/,
  /^pipx (install|inject|upgrade)\b/,
  /^cargo (fetch|install|update|add|search|publish)\b/,
  /^go (get|install|mod download|mod tidy)\b/,
  /^(bundle|gem) (install|update|outdated|fetch)\b/,
  /^composer (install|update|require|create-project)\b/,
  /^(apt|apt-get|apk|dnf|yum|brew|conda|mamba) (install|update|upgrade|add|search|fetch)\b/,
  /^git (clone|fetch|pull|push|ls-remote)\b/,
  /^git (submodule update|remote update|lfs (pull|fetch|push))\b/,
  /^(docker|podman) (pull|push|build|login)\b/,
  /^(terraform|tofu) init\b/,
  /^playwright install\b/,
];
const stays = /^(--offline|--help|-h|--version|--dry-run|--no-index)$/;
const maxDepth = 4;

/** undefined if nothing on the line is known to need the network. */
export function networkNeed(command: string): NetworkNeed | undefined {
  const calls = callsOf(command, 0);
  const needing = calls.filter(needsIt);
  if (needing.length === 0) return undefined;
  const named = needing.flatMap(({ args }) => args.flatMap(({ text }) => otherHost(text) ?? []));
  // A pattern would open more hosts than the line reaches.
  const hosts = named.filter((host) => !host.includes("*"));
  const what = [...new Set(needing.map(shortOf))].join(", ");
  return { what, hosts: [...new Set(hosts.map((host) => host.toLowerCase()))] };
}

function callsOf(line: string, depth: number): Invocation[] {
  if (depth > maxDepth) return [];
  return parseCommandLine(line).commands.flatMap((command) =>
    invocationsOf(command).flatMap((call) => [
      call,
      ...innerScripts(call).scripts.flatMap((script) => callsOf(script, depth + 1)),
    ]),
  );
}

function needsIt(call: Invocation): boolean {
  const { program, args } = call;
  if (args.some(({ text }) => stays.test(text))) return false;
  if (always.has(program)) return true;
  if (toHost.has(program))
    return args.some(({ text }) => !text.startsWith("-") && otherHost(text) !== undefined);
  const words = wordsOf(call);
  return fetches.some((verb) => verb.test(words)) && !isLocalRemote(call);
}

/** git contacts no other machine if the remote is a path. */
function isLocalRemote({ program, args }: Invocation): boolean {
  return program === "git" && args.some(({ text }) => /^(\.{0,2}\/|\.$|file:)/.test(text));
}

function wordsOf({ program, args }: Invocation): string {
  const words = [program, ...args.map(({ text }) => text).filter((text) => !text.startsWith("-"))].join(" ");
  return words.replace(/^python[\d.]* (?=pip )/, "");
}

function shortOf(call: Invocation): string {
  return asCode(wordsOf(call).split(" ").slice(0, 3).join(" "));
}
