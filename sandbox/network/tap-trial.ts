// Finds out by a trial run whether pasta or slirp4netns can give a jail its own network here, without access
// to the machine's.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { runProcess } from "../exec/run-process.ts";
import { type Jail, jailedProcess } from "../jail/jailed-process.ts";
import { installedTaps, type Tap, tapNetwork } from "./tap-network.ts";

/** The first one that works. */
export async function tryTaps(jail: Jail): Promise<Tap | undefined> {
  for (const tap of installedTaps()) if (await works(jail, tap)) return tap;
  return undefined;
}

/**
 * Works if there is a route out, the closed routes can be set, and no service of this machine can be reached
 * through a loopback address or the gateway.
 */
async function works(jail: Jail, tap: Tap): Promise<boolean> {
  const root = await realpath(await mkdtemp(join(jail.state, "trial-")));
  const listening = createServer((socket) => socket.end(greeting));
  const network = await tapNetwork(tap, jail.state);
  try {
    const port = await listen(listening);
    const process = jailedProcess(jail, {
      ...{ root, mount: "/workspace", cwd: "/workspace", writable: true, foreign: true },
      ...{ mounts: network.mounts, gates: network.gates, command: ["node", "-e", looks, String(port)] },
    });
    const outcome = await runProcess({ ...process, timeoutMs: 20_000, maxOutputBytes: 4_096 });
    return outcome.exitCode === 0;
  } catch {
    return false;
  } finally {
    await network.end();
    listening.close();
    await rm(root, { recursive: true, force: true });
  }
}

/** Distinguishes this machine's answers from those of a gateway that accepts every connection. */
const greeting = "handrail trial";
/**
 * Exits with 0 if there is a route out and this machine does not answer. The programs can map the machine to
 * the gateway's address, so that is tried too.
 */
const looks = `
const { connect } = require("node:net");
const { readFileSync } = require("node:fs");
const routes = readFileSync("/proc/net/route", "utf8").split("\\n").slice(1).map((line) => line.split("\\t"));
const way = routes.find((row) => row[1] === "00000000" && row[7] === "00000000");
if (!way) process.exit(1);
const gateway = way[2].match(/../g).reverse().map((byte) => parseInt(byte, 16)).join(".");
const port = Number(process.argv[1]);
for (const host of ["127.0.0.1", "::1", gateway]) {
  const socket = connect({ host, port });
  socket.on("data", (data) => { if (String(data).includes("${greeting}")) process.exit(1); });
  socket.on("error", () => {});
  setTimeout(() => socket.destroy(), 500);
}
`;

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, () => {
      const address = server.address();
      if (address !== null && typeof address === "object") resolve(address.port);
    });
  });
}
