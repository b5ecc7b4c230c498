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

/**
 * Starts what does not run yet; SANDBOX_TOKEN is in its environment. PORT is 8788 unless the sandbox says otherwise.
 */
export function startScript(network: Network): string {
  return `set -eu
mkdir -p "$HOME/${folder}/state"
cd "$HOME/${folder}"
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

/** Prints the names of the sandboxes that were made here. */
export const usedScript = `ls -A "$HOME/${folder}/state/sandboxes" 2>/dev/null || true`;
