// What a container runs: our server, once its file is there. Paths are below the home folder of the image's user.
import type { Network } from "../../../shared/network.ts";

export const folder = ".handrail";

/**
 * The first process. It waits for the file, which is put in after the start, since the disk is that of the image; after a
 * restored snapshot it is there. The platform's SIGTERM ends our server, which records what runs. PORT is 8788 unless the
 * container says otherwise.
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

/** Once for each new disk: what the managed image lacks. Anything that cannot be installed is left out. */
export const prepareScript = `command -v git >/dev/null && exit 0
apt-get update -q >/dev/null 2>&1 && apt-get install -yq --no-install-recommends git ripgrep bubblewrap ca-certificates >/dev/null 2>&1
command -v git >/dev/null`;

export const putScript = (file: string) =>
  `cd "$HOME/${folder}" && cat > ${file}.part && mv ${file}.part ${file}`;

export const unpackScript = `mkdir -p "$HOME/${folder}/state" && tar -C "$HOME/${folder}/state" -xzf -`;

/** Prints its size in bytes. tar's 1 says that a file changed meanwhile: nobody uses the guest any more. */
export const packScript = `cd "$HOME/${folder}" && sync
tar -C state -czf "$HOME/state.tgz" . || [ $? = 1 ] || exit 1
wc -c < "$HOME/state.tgz"`;

/** A snapshot that is taken afterwards need not have it twice. */
export const readPackScript = `cat "$HOME/state.tgz" && rm -f "$HOME/state.tgz"`;
