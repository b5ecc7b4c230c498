// Measures what a command holds in the buffers of its sockets, which are the kernel's memory and no process's.
import { readlinkSync } from "node:fs";
import { readNow } from "../read-now.ts";

/**
 * What a Unix socket is counted for, since the kernel does not say how full it is: half of what it may hold
 * by default, net.core.wmem_default.
 */
const unixSocketBytes = 106_496;

/** Only for processes with a network of their own, as in a jail; 0 otherwise. */
export function socketBytesOf(pids: readonly number[]): number {
  const own = namespaceOf("self");
  for (const pid of pids) {
    const namespace = namespaceOf(String(pid));
    if (namespace === undefined || namespace === own) continue;
    const queued = ["tcp", "tcp6", "udp", "udp6"].reduce((sum, name) => sum + queuedIn(pid, name), 0);
    return queued + linesOf(pid, "unix").length * unixSocketBytes;
  }
  return 0;
}

function namespaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

/** https://docs.kernel.org/networking/proc_net_tcp.html: the fifth field is `tx_queue:rx_queue`, in hexadecimal. */
function queuedIn(pid: number, name: string): number {
  return linesOf(pid, name).reduce((sum, line) => {
    const [, sent = "0", received = "0"] = / ([0-9A-F]{8}):([0-9A-F]{8}) \d\d:/.exec(line) ?? [];
    return sum + Number.parseInt(sent, 16) + Number.parseInt(received, 16);
  }, 0);
}

/** Without the line of headings. */
function linesOf(pid: number, name: string): string[] {
  return readNow(`/proc/${pid}/net/${name}`).split("\n").filter(Boolean).slice(1);
}
