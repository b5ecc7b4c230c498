// The proxy's answers when it refuses, for the program that asked and for anyone who reads its output.
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

export const refusalText = {
  badRequest: "Handrail: ask the proxy for http://host/path, or CONNECT host:port.\n",
  not_allowed: (host: string) =>
    `Handrail: ${host} is not among the hosts that this sandbox may reach. The person can allow it on the phone.\n`,
  private_address: (host: string) =>
    `Handrail: ${host} lies on this machine or its local network, which commands never reach.\n`,
  another_name: (host: string) =>
    `Handrail: the connection does not name ${host}, which it was let through for.\n`,
  unreachable: (host: string) => `Handrail: ${host} could not be reached.\n`,
} as const;

const phrases: Readonly<Record<number, string>> = {
  400: "Bad Request",
  403: "Forbidden",
  502: "Bad Gateway",
};

/** How long a refused client may take to read the answer and close. */
const leaveMs = 5_000;

/** Answers on a connection for which Node has no response object, and closes it. */
export function sayRefused(socket: Duplex, status: number, text: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const head = `HTTP/1.1 ${status} ${phrases[status] ?? "Error"}`;
  const length = `Content-Length: ${Buffer.byteLength(text)}`;
  if (socket instanceof Socket) socket.setTimeout(leaveMs, () => socket.destroy());
  socket.resume();
  socket.end(`${head}\r\nContent-Type: text/plain\r\n${length}\r\nConnection: close\r\n\r\n${text}`);
}
