// Ports of this machine: which one is free, and which process uses an occupied one.
import { createServer } from "node:net";
import { SettingsError } from "./settings-error.ts";

/** A port of `host` that is free at this moment. */
export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen({ host, port: 0 }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Throws an error of one line if `host:port` cannot be listened on. */
export async function checkPort(host: string, port: number): Promise<void> {
  const code = await new Promise<string | undefined>((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ host, port }, () => probe.close(() => resolve(undefined)));
  });
  if (code === undefined) return;
  if (code === "EADDRINUSE") {
    if (await isHandrail(host, port))
      throw new SettingsError(
        `Handrail runs on port ${port} already; open ${localUrl(host, port)}, or start another one with --port 0 and a --state folder of its own.`,
      );
    throw new SettingsError(
      `Port ${port} is taken; choose another with --port ${port + 1} (PORT), or --port 0 for any free one.`,
    );
  }
  if (code === "EACCES")
    throw new SettingsError(
      `Port ${port} needs rights you do not have; choose one above 1023 with --port 8787 (PORT).`,
    );
  throw new SettingsError(
    `HANDRAIL_HOST is "${host}", and nothing can listen there (${code}); use an address of this machine.`,
  );
}

/** The URL with which this machine reaches a server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const own = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${own.includes(":") ? `[${own}]` : own}:${port}`;
}

/** Whether the app answers at this address. Never throws. */
export async function isHandrail(host: string, port: number): Promise<boolean> {
  try {
    const response = await fetch(`${localUrl(host, port)}/api/health`, {
      signal: AbortSignal.timeout(1_000),
    });
    return response.ok && /"version"/.test(await response.text());
  } catch {
    return false;
  }
}
