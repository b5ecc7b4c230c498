// The command line of the sandbox server: options, the ready line, and the end of the process.

import { parseOptions, usage } from "./command-line.ts";
import { startDiskWords } from "./paths/disk-error.ts";
import { StartError, startServer } from "./server.ts";

async function main(): Promise<void> {
  const parsed = parseOptions(process.argv.slice(2), process.env);
  if (parsed === "help") {
    process.stdout.write(usage);
    return;
  }
  const server = await startServer(parsed.server).catch((error: unknown) => {
    const words = startDiskWords(error, parsed.server.state);
    throw words === undefined ? error : new StartError(words);
  });
  void server.lost.then(() => {
    process.stderr.write("sandbox: another sandbox server has taken the state folder; this one ends.\n");
    process.exit(1);
  });
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    server.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  const { idleMs } = parsed;
  if (idleMs)
    setInterval(async () => (await server.isIdle(idleMs)) && end(), Math.min(idleMs / 2, 30_000)).unref();
  if (parsed.exitWithParent) {
    process.stdin.on("end", end);
    process.stdin.on("close", end);
    process.stdin.on("error", end);
    process.stdin.resume();
  }
  const { host } = parsed.server;
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  process.stdout.write(`sandbox ready http://${shown}:${server.port}\n`);
}

main().catch((error: unknown) => {
  const known =
    error instanceof StartError || (error instanceof Error && "code" in error && error.code === "EADDRINUSE");
  const text =
    known && error instanceof Error ? error.message : String(error instanceof Error ? error.stack : error);
  process.stderr.write(`sandbox: ${text}\n`);
  process.exit(1);
});
