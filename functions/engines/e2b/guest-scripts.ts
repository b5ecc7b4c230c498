// The bash scripts for an E2B sandbox: start our server and the clock that detects lost writes, and prepare
// the disk for a pause.
import type { Network } from "../../../shared/network.ts";

/** A folder below the home folder. */
export const folder = ".handrail";
export const serverPath = `${folder}/sandbox.mjs`;

/** The template may have no node that is new enough for our server; npm has Node's binaries. */
const findNode = `
node=node
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then
  node="$PWD/node/node_modules/.bin/node"
  [ -x "$node" ] || npm install --silent --no-audit --no-fund --prefix "$PWD/node" node@22 >&2
fi`;

/** The template may lack bubblewrap. If it cannot be installed, our server reports that there is no jail. */
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

/**
 * The sandbox is not removed until this long after a creation joined it. A creation takes at most about four
 * minutes.
 */
const joinsForSeconds = 5 * 60;
/** Printed for a sandbox that is about to be removed. */
export const condemned = "condemned";

/**
 * Two creations may want the same sandbox: one that joins it, and the one that made it and wants to remove
 * it. E2B cannot remove conditionally, so the disk decides: the first to take this lock wins, and both learn
 * the result.
 */
const claim = (joins: boolean) => `exec 9> fate.lock
flock 9
if [ -e ${condemned} ]; then echo ${condemned}; exit 0; fi
${joins ? "date +%s > joined" : ""}
exec 9>&-`;

/**
 * Starts what is not running yet. SANDBOX_TOKEN is in the script's environment. PORT is 8788 unless the
 * sandbox sets another. `joins`: another creation made the sandbox. If it is about to be removed, the script
 * prints `condemned` and starts nothing.
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

/**
 * Flushes all writes to the disk, and reads the last one back from there, bypassing the page cache if
 * possible.
 */
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
 * `pausedAtSeconds` (by E2B's clock) is an earlier one. A short pause leaves no record.
 */
export const keptUntilScript = (pausedAtSeconds: number) => `set -eu
cd "$HOME/${folder}"
kept=$(cat tick)
if [ $(($(date +%s) - kept)) -le 20 ] && [ -s pauses ]; then
  read -r noted until <<< "$(tail -n 1 pauses)"
  [ "$noted" -lt ${Math.floor(pausedAtSeconds)} ] || kept=$until
fi
echo "$kept"`;

/**
 * Prints `condemned` if no session was made here and no creation has joined recently. From then on none can
 * join.
 */
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
