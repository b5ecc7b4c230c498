// The scripts that run in a container. Paths are below the home folder of the image's user.
import type { Network } from "../../../shared/network.ts";

export const folder = ".handrail";

/**
 * The first process of the container. It waits for our server's file, which is written after the start
 * because the disk is the image's; a restored snapshot has it already. On the platform's SIGTERM our server
 * ends and records running calls. PORT is 8788 unless the container sets another.
 */
export function entrypoint(file: string, network: Network): string[] {
  const script = `mkdir -p "$HOME/${folder}/state" && cd "$HOME/${folder}" || exit 1
while [ ! -f ${file} ]; do sleep 0.1; done
node ${file} --state state --host 0.0.0.0 --network ${network} &
echo $! > server.pid
trap "kill -TERM $!" TERM
wait $!
wait $!`;
  return ["sh", "-c", script];
}

/**
 * Run once on each new disk: installs what the managed image lacks. Packages that cannot be installed are
 * skipped.
 */
export const prepareScript = `command -v git >/dev/null && exit 0
apt-get update -q >/dev/null 2>&1 && apt-get install -yq --no-install-recommends git ripgrep bubblewrap ca-certificates >/dev/null 2>&1
command -v git >/dev/null`;

export const putScript = (file: string) =>
  `cd "$HOME/${folder}" && cat > ${file}.part && mv ${file}.part ${file}`;

export const unpackScript = `mkdir -p "$HOME/${folder}/state" && tar -C "$HOME/${folder}/state" -xzf -`;

/**
 * Prints the size of the archive in bytes. tar exits with 1 if a file changed meanwhile, which is accepted
 * because the guest is no longer in use.
 */
export const packScript = `cd "$HOME/${folder}" && sync
tar -C state -czf "$HOME/state.tgz" . || [ $? = 1 ] || exit 1
wc -c < "$HOME/state.tgz"`;

/**
 * Deletes the archive after reading it, so that a snapshot taken afterwards does not contain the data twice.
 */
export const readPackScript = `cat "$HOME/state.tgz" && rm -f "$HOME/state.tgz"`;
