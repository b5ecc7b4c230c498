// What bash does in an E2B sandbox: starts our server and the clock that finds lost writes, and gets a disk ready to sleep.
import type { Network } from "../../../shared/network.ts";

/** Below the home folder. */
export const folder = ".handrail";
export const serverPath = `${folder}/sandbox.mjs`;

/** Templates may be older than our server; npm has Node's binaries. */
const findNode = `
node=node
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then
  node="$PWD/node/node_modules/.bin/node"
  [ -x "$node" ] || npm install --silent --no-audit --no-fund --prefix "$PWD/node" node@22 >&2
fi`;

/** Templates may lack what a jail is made with; what cannot be installed is said by our server. */
const findJail = `
[ "\${HANDRAIL_NO_BWRAP:-}" = 1 ] || command -v bwrap >/dev/null ||
  { sudo -n apt-get update -q && sudo -n apt-get install -yq --no-install-recommends bubblewrap; } >/dev/null 2>&1 || true`;

/**
 * Records the time every five seconds. A late record means that the guest was paused: the script then stores the time up
 * to which the disk is complete, which is earlier than the pause if E2B restored an older snapshot.
 */
const clock = `
last=$(date +%s)
while :; do
  sleep 5
  now=$(date +%s)
  if [ $((now - last)) -gt 20 ]; then
    disk=$(cat tick)
    [ "$disk" -lt "$last" ] && last=$disk
    echo "$now $last" >> pauses
  fi
  echo "$now" > tick
  sync -d tick
  last=$now
done`;

/** A creation takes at most some four minutes. */
const joinsForSeconds = 5 * 60;
/** Printed of a sandbox that is about to be removed. */
export const condemned = "condemned";

/**
 * The disk decides between a creation that is given a sandbox which another one made, and that other one, which takes it back:
 * E2B has no removal on a condition. Whoever comes first under this lock is told so, and the other one too.
 */
const claim = (joins: boolean) => `exec 9> fate.lock
flock 9
if [ -e ${condemned} ]; then echo ${condemned}; exit 0; fi
${joins ? "date +%s > joined" : ""}
exec 9>&-`;

/**
 * Starts what does not run yet; SANDBOX_TOKEN is in its environment. PORT is 8788 unless the sandbox says otherwise.
 * `joins`: another creation made it. Prints `condemned` if it is about to be removed, and starts nothing then.
 */
export function startScript(network: Network, joins: boolean): string {
  return `set -eu
mkdir -p "$HOME/${folder}/state"
cd "$HOME/${folder}"
${claim(joins)}
${findNode}
${findJail}
export HANDRAIL_PRIVATE_SOURCES=0
[ -f tick ] || date +%s > tick
setsid nohup flock -n -o server.lock sh -c 'echo $$ > server.pid; exec "$0" sandbox.mjs --state state --host 0.0.0.0 --network ${network}' "$node" >> server.log 2>&1 < /dev/null &
setsid nohup flock -n clock.lock bash -c '${clock}' > /dev/null 2>&1 < /dev/null &`;
}

/** Flushes all writes to disk, and reads the last one back from there, bypassing the page cache where possible. */
export const sleepScript = `set -eu
cd "$HOME/${folder}"
now=$(date +%s)
echo "$now" > tick
echo "$now" > asleep
sync
back=$(dd if=asleep iflag=direct bs=4096 count=1 2>/dev/null || cat asleep)
[ "$back" = "$now" ]`;

/**
 * Prints the time up to which the disk is complete, in seconds since the epoch. A pause recorded before
 * `pausedAtSeconds` (E2B's clock) is an earlier one; a short pause leaves no record.
 */
export const keptUntilScript = (pausedAtSeconds: number) => `set -eu
cd "$HOME/${folder}"
kept=$(cat tick)
if [ $(($(date +%s) - kept)) -le 20 ] && [ -s pauses ]; then
  read -r noted until <<< "$(tail -n 1 pauses)"
  [ "$noted" -lt ${Math.floor(pausedAtSeconds)} ] || kept=$until
fi
echo "$kept"`;

/** Prints `condemned` if nobody made a session here and no creation was given it lately: from then on none is. */
export const condemnScript = `set -eu
mkdir -p "$HOME/${folder}"
cd "$HOME/${folder}"
exec 9> fate.lock
flock 9
[ -z "$(ls -A state/sandboxes 2>/dev/null)" ] || exit 0
[ $(($(date +%s) - $(cat joined 2>/dev/null || echo 0))) -gt ${joinsForSeconds} ] || exit 0
echo ${condemned} | tee ${condemned}`;

/** Prints the names of the sandboxes that were made here. */
export const usedScript = `ls -A "$HOME/${folder}/state/sandboxes" 2>/dev/null || true`;
