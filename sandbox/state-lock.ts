// One state folder has one server: two would write one journal. The lock ends with the process, however that ends.
import { createHash, randomBytes } from "node:crypto";
import { link, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { errnoOf } from "./paths/fs-error.ts";

/** A server that was just told to end gets this long: a command has 1 s to end, readers half a second. */
const waitMs = 5_000;
const againMs = 100;

/** Resolves with how to let go, or undefined where another server holds the folder. */
export async function lockState(state: string): Promise<(() => Promise<void>) | undefined> {
  const address = await addressFor(state);
  for (let left = waitMs; ; left -= againMs) {
    const server = await listening(address);
    if (server) return () => new Promise((resolve) => server.close(() => resolve()));
    if (left <= 0) return undefined;
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

/**
 * Linux: an abstract socket, which the kernel takes away with its process (unix(7)). Elsewhere a TCP port of the
 * loopback, which it takes away too. Both are named by a secret in the folder, so that no other user can hold them.
 */
async function addressFor(state: string): Promise<{ path: string } | { host: string; port: number }> {
  const secret = await secretOf(join(state, "lock"));
  const { dev, ino } = await stat(state);
  const name = createHash("sha256").update(`${secret}:${dev}:${ino}`).digest();
  if (process.platform === "linux") return { path: `\0handrail-${name.toString("hex")}` };
  return { host: "127.0.0.1", port: 20_000 + (name.readUInt32BE() % 29_000) };
}

async function secretOf(path: string): Promise<string> {
  const secret = randomBytes(32).toString("hex");
  const aside = `${path}-${secret.slice(0, 16)}`;
  await writeFile(aside, secret, { mode: 0o600 });
  // Whole or not there: of two servers that start at once, both read the same.
  await link(aside, path).catch((error: unknown) => {
    if (errnoOf(error) !== "EEXIST") throw error;
  });
  await rm(aside);
  return readFile(path, "utf8");
}

async function listening(address: Parameters<Server["listen"]>[0]): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  // It alone keeps no process alive.
  server.unref();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(address, resolve);
    });
    return server;
  } catch (error) {
    if (errnoOf(error) === "EADDRINUSE") return undefined;
    throw error;
  }
}
