// Commands that reach out: send data, publish, change something on another machine. Fetching packages and
// commits is not among them: every build does it.

import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";

/** Any use talks to another machine. */
const always = new Set([
  "ssh",
  "sftp",
  "ftp",
  "lftp",
  "mail",
  "mailx",
  "sendmail",
  "msmtp",
  "mutt",
  "telnet",
  "gh-pages",
  "surge",
]);
/** Tools that speak to a host named in their arguments; on this machine that is nothing. */
const toHost = new Set(["curl", "wget", "http", "https", "xh", "nc", "ncat", "netcat", "socat", "websocat"]);
const copying = new Set(["scp", "rsync", "rclone"]);

/** Subcommands that publish or change something elsewhere; an empty list = all of them. */
const publishing: ReadonlyMap<string, readonly string[]> = new Map([
  ["npm", ["publish", "unpublish", "deprecate", "dist-tag", "owner", "access", "token", "login", "adduser"]],
  ["pnpm", ["publish"]],
  ["yarn", ["publish", "npm"]],
  ["bun", ["publish"]],
  ["cargo", ["publish", "yank", "owner", "login"]],
  ["gem", ["push", "yank"]],
  ["twine", ["upload"]],
  ["poetry", ["publish"]],
  ["uv", ["publish"]],
  ["flit", ["publish"]],
  ["jsr", ["publish"]],
  ["deno", ["publish", "deploy"]],
  ["docker", ["push", "login"]],
  ["podman", ["push", "login"]],
  ["helm", ["install", "upgrade", "uninstall", "rollback", "push"]],
  ["wrangler", ["deploy", "publish", "delete", "secret", "rollback", "d1", "kv", "r2"]],
  ["kubectl", ["apply", "delete", "create", "exec", "patch", "replace", "scale", "edit", "rollout", "drain"]],
  ["terraform", ["apply", "destroy", "import"]],
  ["tofu", ["apply", "destroy", "import"]],
  ["pulumi", ["up", "destroy"]],
  ["vercel", []],
  ["netlify", ["deploy"]],
  ["firebase", ["deploy"]],
  ["fly", ["deploy", "destroy"]],
  ["flyctl", ["deploy", "destroy"]],
  ["heroku", []],
  ["aws", []],
  ["gcloud", []],
  ["gsutil", []],
  ["az", []],
  ["doctl", []],
  ["ansible", []],
  ["ansible-playbook", []],
]);

/** What `gh THING VERB` only looks at. */
const ghReads = new Set([
  "view",
  "list",
  "diff",
  "checks",
  "status",
  "checkout",
  "clone",
  "download",
  "watch",
]);

export function reachesOut({ program, args }: Invocation): Finding | undefined {
  const texts = args.map(({ text }) => text);
  const plain = texts.filter((text) => !text.startsWith("-"));
  if (always.has(program)) return talks(program);
  if (toHost.has(program)) return staysLocal(program, texts) ? undefined : talks(program);
  if (copying.has(program)) return plain.some((text) => /^[^/]*:/.test(text)) ? talks(program) : undefined;
  if (program === "gh") return github(plain);
  const subcommands = publishing.get(program);
  const [subcommand = ""] = plain;
  if (!subcommands || subcommand === "" || (subcommands.length > 0 && !subcommands.includes(subcommand)))
    return undefined;
  if (texts.includes("--dry-run")) return undefined;
  return changesElsewhere(program, subcommand);
}

function github(plain: readonly string[]): Finding | undefined {
  const [thing = "", verb = ""] = plain;
  if (thing === "" || thing === "status" || thing === "search" || ghReads.has(verb)) return undefined;
  return changesElsewhere("gh", `${thing} ${verb}`.trim());
}

function talks(program: string): Finding {
  return { risk: "remote", why: `\`${program}\` talks to another machine.`, subcommand: "" };
}

function changesElsewhere(program: string, subcommand: string): Finding {
  return {
    risk: "remote",
    why: `\`${program} ${subcommand}\` changes something outside this workspace.`,
    subcommand,
  };
}

/** Options of curl, wget and their like whose value is no address. */
const valued =
  /^(-[A-Za-z]*[XHdoOuAebcFTwmPK]|--(request|header|data(-\w+)?|json|output|user|user-agent|referer|cookie|cookie-jar|form|write-out|max-time|connect-timeout|retry|retry-delay|output-document|post-data|body-data|method|timeout|tries))$/;
/** Options without a value whose letter means one elsewhere. */
const flags = /^-[sSfLkivIgNqO]+$/;
/** These send the request somewhere else than the address says. */
const detours =
  /^(-x|--proxy.*|--socks\w*|--connect-to.*|--resolve.*|-K|--config.*|-i|--input-file.*|-e|--execute.*)$/;

/** Every address in the arguments is of this machine. */
function staysLocal(program: string, texts: readonly string[]): boolean {
  const isCurl = program === "curl";
  const addresses: string[] = [];
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] ?? "";
    if (detours.test(text) && !(isCurl && (text === "-i" || text === "-e"))) return false;
    if (text === "--url") continue;
    if (valued.test(text) && !flags.test(text)) at += 1;
    else if (!text.startsWith("-")) addresses.push(text.replace(/^(tcp|tcp4|tcp6|udp)-?\w*:/i, ""));
  }
  if (program.startsWith("n")) return isLoopback(addresses[0] ?? "");
  return addresses.length > 0 && addresses.every(isLoopback);
}

/** Whether a URL or `host:port` names this machine and nothing else. */
export function isLoopback(address: string): boolean {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  if (address === "" || /[$`{}*]/.test(text.split(/[/?#]/, 3).join("/"))) return false;
  try {
    const host = new URL(text.replace(/^[a-z0-9+.-]+:/i, "http:")).hostname;
    return (
      host === "localhost" ||
      host.endsWith(".localhost") ||
      /^127(\.\d+){3}$/.test(host) ||
      host === "[::1]" ||
      host === "0.0.0.0"
    );
  } catch {
    return /^::1$/.test(address);
  }
}
