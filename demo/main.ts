// Starts the scripted demo model on loopback. `--port N` (0 = any), `--exit-with-parent` ends it when stdin closes.
import type { AddressInfo } from "node:net";
import { createDemoServer } from "./server.ts";

const portAt = process.argv.indexOf("--port");
const port = portAt < 0 ? 0 : Number(process.argv[portAt + 1]);
const delayMs = Number(process.env.HANDRAIL_DEMO_DELAY_MS || 20);
if (!Number.isInteger(port) || port < 0 || port > 65_535) fail("--port must be a number from 0 to 65535");
if (!(delayMs >= 0)) fail("HANDRAIL_DEMO_DELAY_MS must be a number of milliseconds");

const server = createDemoServer({ delayMs });
server.on("error", (error) => fail(error.message));
server.listen(port, "127.0.0.1", () => {
  const { port: bound } = server.address() as AddressInfo;
  console.log(`demo ready http://127.0.0.1:${bound}`);
});

if (process.argv.includes("--exit-with-parent")) {
  // The launcher holds the other end of stdin and never writes to it: when stdin closes, the launcher has exited.
  process.stdin.on("end", () => process.exit(0)).resume();
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
