// The network that pasta or slirp4netns gives a command, for each of them that is installed: whatever the
// program offers on its own, the command reaches no service of this machine, nobody reaches the command, and
// metadata services are closed.
// @module-tag long
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { runProcess } from "../../sandbox/exec/run-process.ts";
import { type Jail, jailedProcess } from "../../sandbox/jail/jailed-process.ts";
import { installedTaps, type Tap, tapNetwork } from "../../sandbox/network/tap-network.ts";
import { listening } from "./network-origin.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

/** Runs `script` with node in a jail that has the tap's network. */
async function runIn(tap: Tap, script: string, onOutput: (text: string) => void = () => undefined) {
  const state = await freshFolder("state");
  const jail: Jail = {
    ...{ bwrap: findProgram("bwrap") ?? "bwrap", state, memoryBytes: 2 ** 30, hidesFirst: false },
    ...{ tmpBytes: undefined, taskIds: undefined, groups: undefined, filters: undefined },
    tools: { places: [], hidden: [], path: [dirname(process.execPath), "/usr/bin", "/usr/sbin"], env: {} },
  };
  const network = await tapNetwork(tap, state);
  const root = await freshFolder("workspace");
  const process_ = jailedProcess(jail, {
    ...{ root, mount: "/workspace", cwd: "/workspace", writable: true, foreign: true },
    ...{ mounts: network.mounts, gates: network.gates, command: ["node", "-e", script] },
  });
  try {
    return await runProcess({
      ...{ ...process_, timeoutMs: 30_000, maxOutputBytes: 10_000 },
      onOutput: (_stream, _offset, text) => onOutput(text),
    });
  } finally {
    await network.end();
  }
}

/**
 * Tries this machine's loopback and the gateway, by which both programs can offer the machine, and the group that
 * every machine is in.
 */
const reachesOut = (port: number, udpPort: number) => `
const { connect } = require("node:net");
const row = require("node:fs").readFileSync("/proc/net/route", "utf8").split("\\n").map((line) => line.split("\\t")).find((row) => row[1] === "00000000");
const gateway = row[2].match(/../g).reverse().map((byte) => parseInt(byte, 16)).join(".");
const udp = require("node:dgram").createSocket("udp4");
udp.on("error", () => {});
for (const host of ["127.0.0.1", "::1", gateway]) {
  const socket = connect({ host, port: ${port} });
  socket.on("data", (data) => console.log(host, String(data)));
  socket.on("error", () => {});
  setTimeout(() => socket.destroy(), 1000);
  udp.send("datagram", ${udpPort}, host, () => {});
}
udp.send("datagram", ${udpPort}, "224.0.0.1", () => {});
setTimeout(() => { udp.close(); console.log("tried"); }, 1000);`;

describe.each(installedTaps())("$name", (tap) => {
  test("reaches no service of this machine", async () => {
    const server = createServer((socket) => socket.end("reached"));
    const udp = createSocket("udp4");
    const heard: string[] = [];
    udp.on("message", (message) => heard.push(String(message)));
    udp.bind(0);
    await once(udp, "listening");
    onTestFinished(() => {
      server.close();
      udp.close();
    });
    const port = await listening(server);
    expect((await runIn(tap, reachesOut(port, udp.address().port))).stdout).toBe("tried\n");
    expect(heard).toEqual([]);
  });

  test("is not reached from this machine", async () => {
    // The kernel gives these ports to no other program meanwhile.
    const port = 31_000 + (process.pid % 1_000);
    const script = `
require("node:net").createServer((socket) => socket.end("reached")).listen(${port}, () => console.log("listening"));
const udp = require("node:dgram").createSocket("udp4");
udp.on("message", (message) => console.log(String(message)));
udp.bind(${port});
setTimeout(() => process.exit(), 3000);`;
    const reached: string[] = [];
    let trying: Promise<void> | undefined;
    const { stdout } = await runIn(tap, script, (text) => {
      if (text.includes("listening")) trying ??= tryUntilGone(port, reached);
    });
    await trying;
    expect([stdout, reached]).toEqual(["listening\n", []]);
  });

  test("reaches no service of this machine's loopback with a socket that is bound to the tap", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${await listening(server)}/`;
    const script = `
const [name] = Object.keys(require("node:os").networkInterfaces()).filter((name) => name !== "lo");
const args = ["-sm", "2", "--noproxy", "*", "--interface", name, "${url}"];
console.log(require("node:child_process").spawnSync("curl", args).status);`;
    // 7: curl could not connect, as against 28, no answer in time.
    expect((await runIn(tap, script)).stdout).toBe("7\n");
    expect(connections).toBe(0);
  });

  test.each(["169.254.169.254", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254"])(
    "cannot connect to the metadata service %s",
    async (host) => {
      const script = `
require("node:net").connect({ host: "${host}", port: 80 }).on("error", ({ code }) => console.log(code));`;
      // IPv6 may have no way out at all.
      expect((await runIn(tap, script)).stdout).toMatch(
        host.includes(":") ? /^(EPERM|ENETUNREACH)\n$/ : /^EPERM\n$/,
      );
    },
  );
});

/** pasta looks once a second for the ports that a command has opened. */
async function tryUntilGone(port: number, reached: string[]): Promise<void> {
  const udp = createSocket("udp4");
  for (let tries = 0; tries < 25; tries += 1) {
    udp.send("datagram", port, "127.0.0.1");
    const socket = connect(port, "127.0.0.1");
    socket.on("data", (data) => reached.push(String(data)));
    socket.on("error", () => undefined);
    await setTimeout(100);
    socket.destroy();
  }
  udp.close();
}
