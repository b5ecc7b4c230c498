// The network of one command in the jail, from before its start until its end: none, the proxy, or a network
// of its own. It is never the machine's.
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RefusedHost } from "../../shared/network.ts";
import type { Gate } from "../jail/process-limit.ts";
import { bridged, proxyFolder, proxySocket } from "./bridge.ts";
import { NetworkProxy } from "./proxy.ts";
import { proxyEnvironment } from "./proxy-environment.ts";
import type { ProxyPolicy } from "./proxy-policy.ts";
import type { Reach } from "./reach.ts";

export interface CommandNetwork {
  /** Arguments for bubblewrap that show the command its part of the network. */
  mounts: readonly string[];
  env: Readonly<Record<string, string>>;
  /** `command`, wrapped in the programs that it needs to have a network. */
  around(command: readonly string[]): readonly string[];
  /** Prepares the jail before the command begins. */
  gates: readonly Gate[];
  /** Ends everything. `refused`: the hosts that the command asked for and was refused. */
  end(): Promise<{ refused?: RefusedHost[] }>;
}

export const noNetwork: CommandNetwork = {
  ...{ mounts: [], env: {}, gates: [] },
  around: (command) => command,
  end: async () => ({}),
};

/** The folder for the sockets of running commands. */
export function networksIn(state: string): string {
  return join(state, "net");
}

/** A proxy for one command, on a socket in its own folder. `id`: a new name for the folder. */
export async function proxyNetwork(
  { state, id, reach }: { state: string; id: string; reach: Reach },
  policy: ProxyPolicy,
): Promise<CommandNetwork> {
  const folder = join(networksIn(state), id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await open(folder);
  const proxy = new NetworkProxy(policy, reach);
  const end = async () => {
    await proxy.close();
    await handle.close();
    await rm(folder, { recursive: true, force: true });
    return { refused: proxy.refused };
  };
  try {
    // The folder is named by its descriptor, because the path of a socket has at most 107 bytes and the state
    // folder's path may be longer.
    await proxy.listen(`/proc/self/fd/${handle.fd}/${proxySocket}`);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    mounts: ["--ro-bind", folder, proxyFolder],
    env: proxyEnvironment,
    around: (command) => bridged(command),
    gates: [],
    end,
  };
}
