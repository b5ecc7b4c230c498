// Programs that run the command after their own options. A table from their manuals.
import { type Option, readArguments } from "./options.ts";
import type { Word } from "./shell-word.ts";

export interface WrapperRule {
  /** Options in the form that `readArguments` takes. */
  spec: string;
  /** How many words of its own come between its options and the command: a duration, a lock file. */
  own: number;
  /** Whether more arguments come from elsewhere. */
  moreArgs: boolean;
}

export interface RunnerCall {
  rule: WrapperRule;
  verb: string;
  /** The words after the verb. */
  args: readonly Word[];
  before: readonly Option[];
}

/** `NAME[+] [number of own words]: options`; `+`: more arguments come from its input. */
const table = `
sudo: u:g:h:p:C:r:t:T:U:D:R:user:group:host:prompt:close-from:role:type:chdir:chroot:other-user:command-timeout:
doas: u:C:
pkexec: user:
env: u:C:S:a:unset:chdir:split-string:argv0:
nice: n:adjustment:
ionice: c:n:p:P:u:class:classdata:
chrt 1: T:P:D:
timeout 1: k:s:kill-after:signal:
stdbuf: i:o:e:input:output:error:
time: f:o:format:output:
command:
exec: a:
nohup:
setsid:
busybox:
uutils:
toybox:
strace: a:b:e:E:I:o:O:p:P:s:S:u:U:X:output:trace:attach:user:env:
ltrace: a:A:e:F:l:n:o:p:s:u:w:x:X:
chroot 1: userspec:groups:
unshare: S:G:R:w:setuid:setgid:root:wd:map-user:map-group:propagation:
nsenter: t:S:G:target:setuid:setgid:
flock 1: w:E:timeout:wait:conflict-exit-code:
taskset 1:
setarch:
linux32:
linux64:
prlimit: p:o:pid:output:
numactl: N:m:i:p:C:l:cpunodebind:membind:interleave:preferred:physcpubind:
choom: n:p:
uclampset: m:M:
setpriv: reuid:regid:groups:inh-caps:ambient-caps:bounding-set:securebits:selinux-label:apparmor-profile:
systemd-run: p:u:E:M:H:property:unit:description:slice:uid:gid:nice:working-directory:setenv:on-active:on-calendar:service-type:
systemd-inhibit: what:who:why:mode:
runuser: u:g:G:s:w:user:group:shell:
gosu 1:
tini: e:p:
dumb-init:
xvfb-run: n:s:e:f:p:w:server-num:server-args:error-file:auth-file:
dbus-run-session: config-file:dbus-daemon:
ssh-agent: a:t:E:O:P:
fakeroot: l:s:i:b:
fakechroot:
faketime 1:
eatmydata:
catchsegv:
proxychains: f:
proxychains4: f:
torsocks:
torify:
unbuffer:
rlwrap:
caffeinate: t:w:
arch: e:
xcrun: sdk:
valgrind:
rr 1:
retry: t:d:tries:delay:
ts-retry:
cross-env:
cross-env-shell:
dotenv: e:f:v:c:p:
env-cmd: f:e:r:
chpst: u:U:m:d:o:p:f:c:e:
softlimit: m:d:s:l:f:c:t:o:p:a:
daemonize: a:c:e:o:p:l:u:E:
entr:
chronic:
ifne: n
tsp: L:N:D:E:
xargs+: I:n:P:d:L:s:a:E:max-args:max-procs:delimiter:max-chars:arg-file:process-slot-var:replace?i?l?e?
parallel+: j:I:N:n:L:a:S:jobs:arg-file:sshlogin:sshloginfile:slf:joblog:delay:timeout:colsep:max-args:tmpdir:results:
npx: no p:c:w:package:call:workspace:registry:cache:userconfig:prefix:script-shell:node-options:
pnpx: p:package:
bunx: p:package:
uvx: p:from:with:python:index:index-url:default-index:extra-index-url:
`;

export const wrappers: ReadonlyMap<string, WrapperRule> = new Map(
  table
    .trim()
    .split("\n")
    .map((line) => {
      const [head = "", ...spec] = line.split(": ").length > 1 ? splitHead(line) : [line.replace(/:$/, "")];
      const [name = "", own = "0"] = head.split(" ");
      return [
        name.replace("+", ""),
        { spec: spec.join(" "), own: Number(own), moreArgs: name.endsWith("+") },
      ] as const;
    }),
);

function splitHead(line: string): [string, string] {
  const at = line.indexOf(": ");
  return [line.slice(0, at), line.slice(at + 2)];
}

/** `PROGRAM VERB` pairs that run the command after them, with their options and the number of own words. */
const runnerTable: readonly [RegExp, string, number][] = [
  [/^npm (exec|x)$/, "p:c:w:package:call:workspace:registry:cache:prefix:script-shell:", 0],
  [/^(pnpm|yarn) (exec|dlx)$/, "p:c:C:package:dir:filter:", 0],
  [/^perf (stat|record|trace)$/, "e:o:i:c:F:p:t:C:r:event:output:count:repeat:", 0],
  [/^bun x$/, "p:package:", 0],
  [/^bun exec$/, "", 0],
  [/^bundle exec$/, "", 0],
  [/^(yarn|pnpm) node$/, "", 0],
  [/^pipx run$/, "spec:python:index-url:pip-args:", 0],
  [/^(poetry|pipenv|pdm|hatch|rye) run$/, "", 0],
  [
    /^uv run$/,
    "p:with:python:package:extra:group:env-file:project:directory:with-requirements:index:index-url:default-index:",
    0,
  ],
  [/^uv tool$/, "", 0],
  [/^(conda|mamba|micromamba) run$/, "n:p:name:prefix:cwd:", 0],
  [/^(rbenv|pyenv|nodenv|asdf|jenv) exec$/, "", 0],
  [/^(mise|rtx) (exec|x)$/, "c:C:command:cd:", 0],
  [/^volta run$/, "node:npm:yarn:", 0],
  [/^fnm exec$/, "using:", 0],
  [/^direnv exec$/, "", 1],
  [/^(dotenvx|doppler|op) run$/, "f:e:env-file:", 0],
  [/^(chamber|aws-vault) exec$/, "", 1],
  [/^sops (exec-env|exec-file)$/, "", 1],
  [/^nix (develop|shell)$/, "", 0],
  [/^npm explore$/, "", 1],
  [/^tmux (new|new-session|split-window|neww|new-window|run-shell|respawn-pane)$/, "s:n:t:c:x:y:e:F:f:", 0],
  [/^screen -\w*[dm]\w*$/, "S:c:h:e:t:T:p:s:", 0],
];

/** Options with a value that these programs take before their verb. */
const beforeVerb: ReadonlyMap<string, string> = new Map([
  ["npm", "C:w:c:p:prefix:workspace:registry:cache:userconfig:loglevel:package:call:script-shell:"],
  ["pnpm", "C:F:dir:filter:filter-prod:reporter:loglevel:registry:"],
  ["bun", "c:r:F:cwd:config:preload:filter:env-file:"],
  ["tmux", "L:S:f:T:"],
]);
const beforeAnyVerb = "C:P:E:cwd:cd:dir:directory:project:config:config-file:cache-dir:color:env-file:";

/**
 * Splits `bun --silent x cowsay` into its verb, the words after it, and the options before it; undefined if the verb
 * has no rule.
 */
export function runnerCall(name: string, rest: readonly Word[]): RunnerCall | undefined {
  const next = rest[0]?.text;
  const direct = runnerRule(`${name} ${next}`);
  // `yarn node` runs Node.
  if (direct) return { rule: direct, verb: `${next}`, args: rest.slice(next === "node" ? 0 : 1), before: [] };
  const { options, operands } = readArguments(rest, beforeVerb.get(name) ?? beforeAnyVerb, "first");
  const [verb, ...args] = operands;
  const rule = verb && runnerRule(`${name} ${verb.text}`);
  return rule && { rule, verb: verb.text, args, before: options };
}

/** The rule for `program verb`. */
function runnerRule(words: string): WrapperRule | undefined {
  const found = runnerTable.find(([pattern]) => pattern.test(words));
  return found && { spec: found[1], own: found[2], moreArgs: false };
}
