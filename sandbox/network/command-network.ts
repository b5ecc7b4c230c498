// The network of one command in the jail, from before it starts until it has ended: nothing, the proxy, or a network of
// its own. Never the machine's.
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
  /** Arguments of bubblewrap for what the command sees of it. */
  mounts: readonly string[];
  env: Readonly<Record<string, string>>;
  /** `command`, with what has to be there before it begins. */
  around(command: readonly string[]): readonly string[];
  /** Prepares the jail before the command begins. */
  gates: readonly Gate[];
  /** Ends everything. `refused`: the hosts that it asked for and did not get. */
  end(): Promise<{ refused?: RefusedHost[] }>;
}

export const noNetwork: CommandNetwork = {
  ...{ mounts: [], env: {}, gates: [] },
  around: (command) => command,
  end: async () => ({}),
};

/** Where the sockets of the commands that run now are. */
export function networksIn(state: string): string {
  return join(state, "net");
}

/** A proxy for one command, on a socket in its own folder. `id`: a new one. */
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
    // By its descriptor: the path of a socket has 107 bytes, and the path of the state folder may be longer.
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
