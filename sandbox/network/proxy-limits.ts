// What one command may ask of its proxy, as the server's limits have it; tests bring smaller ones.
import * as limits from "../limits.ts";

export interface ProxyLimits {
  /** Open at once, from the command's side. */
  connections: number;
  /** The headers of one request or answer. */
  headerBytes: number;
  /** For headers, and for the beginning of TLS, to arrive. */
  headersMs: number;
  /** How long a connection may be silent in both directions. */
  idleMs: number;
  /** What may pass in both directions together. */
  bytes: number;
}

export const proxyLimits: ProxyLimits = {
  connections: limits.netConnections,
  headerBytes: limits.netHeaderBytes,
  headersMs: limits.netHeadersMs,
  idleMs: limits.netIdleMs,
  bytes: limits.netBytes,
};
