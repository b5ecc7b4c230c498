// Gives a command its own network, for `full`: pasta or slirp4netns connects the jail's namespace, and is
// attached while bubblewrap holds the command back. The machine's loopback and its abstract sockets are not
// reachable from there.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../exec/environment.ts";
import { guarded } from "../exec/guarded.ts";
import { runProcess } from "../exec/run-process.ts";
import { writeWhole } from "../files.ts";
import type { Gate } from "../jail/process-limit.ts";
import * as limits from "../limits.ts";
import { closeAddresses } from "./closed-addresses.ts";
import type { CommandNetwork } from "./command-network.ts";

export interface Tap {
  name: "pasta" | "slirp4netns";
  /** Path of the program. */
  program: string;
}

interface TapKind {
  /** Arguments for the namespace of the process `pid`. */
  args(pid: number): string[];
  /** The name server in the jail. The program forwards its questions to the machine's own resolver. */
  resolver: string;
}

const kinds: Readonly<Record<Tap["name"], TapKind>> = {
  // https://passt.top/builds/latest/web/passt.1.html: no ports are forwarded in either direction, and the
  // gateway does not lead to the machine's loopback.
  pasta: {
    args: (pid) => [
      ...["--foreground", "--quiet", "--config-net", "--no-map-gw", "--dns-forward", "198.51.100.53"],
      ...["-t", "none", "-u", "none", "-T", "none", "-U", "none"],
      // Root keeps its user id, because the namespace would not be open to the user that pasta switches to.
      // It keeps no rights that matter.
      ...(process.getuid?.() === 0
        ? ["--runas", "0:0", "--netns-only", "--netns", `/proc/${pid}/ns/net`]
        : [String(pid)]),
    ],
    // From a block that is reserved for documentation (RFC 5737), so that it hides no real machine.
    resolver: "198.51.100.53",
  },
  // https://github.com/rootless-containers/slirp4netns/blob/master/slirp4netns.1.md
  slirp4netns: {
    args: (pid) => ["--configure", "--disable-host-loopback", "--mtu=65520", String(pid), "tap0"],
    resolver: "10.0.2.3",
  },
};

/**
 * The installed programs. slirp4netns comes first, because it has always started in our trials, even on a
 * busy machine.
 */
export function installedTaps(): Tap[] {
  return (["slirp4netns", "pasta"] as const).flatMap((name) => {
    const program = findProgram(name);
    return program === undefined ? [] : [{ name, program }];
  });
}

export async function tapNetwork(tap: Tap, state: string): Promise<CommandNetwork> {
  const { args, resolver } = kinds[tap.name];
  const names = join(state, `${tap.name}.resolv.conf`);
  await writeWhole(names, `nameserver ${resolver}\n`, false);
  const ending = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  /** undefined if the network is up, else what the program printed before it ended. */
  const carried = async (pid: number): Promise<string | undefined> => {
    const [file = tap.program, ...rest] = guarded([tap.program, ...args(pid)]);
    // The guardian ends the program with this server, however the server ends.
    const program = runProcess({
      ...{ file, args: rest, guard: "group", signal: ending.signal, cwd: "/", env: {} },
      timeoutMs: limits.execTimeoutMaxMs * 2,
      maxOutputBytes: 4_096,
    });
    running = program.catch(() => undefined);
    const over = new AbortController();
    const ended = program.then(({ stderr }) => stderr || "nothing");
    return Promise.race([hasWayOut(pid, over.signal), ended]).finally(() => over.abort());
  };
  const attach: Gate = async (pid) => {
    await hasLoopback(pid, ending.signal);
    let said: string | undefined;
    for (let tries = 0; tries < mostTries; tries += 1) {
      said = ending.signal.aborted ? "stopped" : await carried(pid);
      if (said === undefined) return closeAddresses(pid);
    }
    throw new Error(`${tap.name} ended before there was a network: ${said?.slice(0, 400)}`);
  };
  return {
    mounts: ["--ro-bind", names, "/etc/resolv.conf"],
    env: {},
    around: (command) => command,
    gates: [attach],
    async end() {
      ending.abort();
      await running;
      return {};
    },
  };
}

/**
 * On a busy machine, the 2023 version of pasta sometimes fails to open an existing namespace, even several
 * times in a row.
 */
const mostTries = 8;
const lookMs = 5;

/**
 * Bubblewrap reports its process before it has set up the loopback there, and fails if another program sets
 * it up first.
 */
function hasLoopback(pid: number, signal: AbortSignal): Promise<undefined> {
  return shown(`/proc/${pid}/net/fib_trie`, /\b127\.0\.0\.1\b/, signal);
}

/** The default route: https://man7.org/linux/man-pages/man5/proc_pid_net.5.html */
function hasWayOut(pid: number, signal: AbortSignal): Promise<undefined> {
  return shown(`/proc/${pid}/net/route`, /^\S+\t00000000\t/m, signal);
}

/** Resolves when the kernel's table at `path` contains `row`. */
async function shown(path: string, row: RegExp, signal: AbortSignal): Promise<undefined> {
  const until = performance.now() + limits.netConnectMs;
  while (performance.now() < until && !signal.aborted) {
    if (row.test(await readFile(path, "utf8"))) return undefined;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  throw new Error("the command's network did not come up");
}
