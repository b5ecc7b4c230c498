// Commands that reach out: send data, publish, change something on another machine. Fetching packages and
// commits is not among them: every build does it.

import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";

/** Any use talks to another machine. */
const always = named(
  `ssh sftp ftp lftp mail mailx sendmail msmtp mutt telnet gh-pages surge vercel heroku aws gcloud gsutil az doctl ansible
  ansible-playbook semantic-release ngrok cloudflared`,
);
/** Tools that speak to a host named in their arguments; on this machine that is nothing. A name looked up carries data too. */
const toHost = named(
  "curl wget wget2 aria2c http https xh nc ncat netcat socat websocat ping dig host nslookup",
);
const copying = named("scp rsync rclone tar skopeo s3cmd");

/** Whatever has such a verb, a task of that name included, sends something. */
const publishes = /^((un)?publ?i?s?h?|deploy|upload|push|--push|hex\.publish|s_client)$/;
/** Programs to which such words are names of files, tests or packages. */
const takesNames =
  /^(cd|ls|cat|mkdir|rm|cp|mv|touch|echo|printf|[ef]?grep|rg|find|head|tail|wc|tree|stat|chmod|test|\[+|man|which|.*(test|jest|mocha))$/;
const takesName = /^(t|test|i|install|add|remove|view|help)$/;
/** Registries' accounts and packages. */
const registry = /^(npm|cargo|gem|docker|podman)$/;
const changesRegistry = /^(login|adduser|owner|deprecate|dist-tag|access|token|yank)$/;
/** What runs elsewhere. */
const cluster = /^(helm|kubectl|oc|terraform|tofu|pulumi|wrangler|fly|flyctl)$/;
const changesCluster =
  /^(install|upgrade|uninstall|rollback|apply|create|run|exec|cp|patch|replace|scale|edit|rollout|drain|label|annotate|set|import|destroy|delete|up|secrets?|d1|kv|r2)$/;

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

export function reachesOut({ program, args, assignments }: Invocation): Finding | undefined {
  const texts = args.map(({ text }) => text);
  const plain = texts.filter((text) => !/^[-+]/.test(text));
  if (always.has(program)) return talks(program);
  if (toHost.has(program)) {
    const isProxied = assignments.some((text) => /^\w*_proxy=/i.test(text));
    return !isProxied && staysLocal(program, texts) ? undefined : talks(program);
  }
  if (copying.has(program)) return plain.some((text) => /^[^/]*:/.test(text)) ? talks(program) : undefined;
  if (/^(gh|glab|hub|tea)$/.test(program)) return github(program, plain);
  if (texts.includes("--dry-run") || takesNames.test(program) || takesName.test(plain[0] ?? ""))
    return undefined;
  // Behind options and their values, or behind `run`, `image`, `workspace NAME`.
  const verb = [...plain.slice(0, 3), ...texts.filter((text) => text === "--push")].find(
    (text) =>
      publishes.test(text) ||
      (registry.test(program) && changesRegistry.test(text)) ||
      (cluster.test(program) && changesCluster.test(text)),
  );
  return verb === undefined ? undefined : changesElsewhere(program, verb);
}

function github(program: string, plain: readonly string[]): Finding | undefined {
  const [thing = "", verb = ""] = plain;
  if (thing === "" || thing === "status" || thing === "search" || ghReads.has(verb)) return undefined;
  return changesElsewhere(program, `${thing} ${verb}`.trim());
}

function named(programs: string): ReadonlySet<string> {
  return new Set(programs.split(/\s+/));
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
  /^(-[a-zA-Z]*[xK]|-[ie]|--(pre)?proxy|--socks|--connect-to|--resolve|--config|--unix-socket|--doh|--input-file|--execute)/;

/** Every address in the arguments is of this machine. */
function staysLocal(program: string, texts: readonly string[]): boolean {
  const isCurl = program === "curl";
  const addresses: string[] = [];
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] ?? "";
    if (detours.test(text) && !(isCurl && /^-[ie]/.test(text))) return false;
    if (text === "--url") continue;
    if (text.startsWith("--url=")) addresses.push(text.slice(6));
    else if (valued.test(text) && !flags.test(text)) at += 1;
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
