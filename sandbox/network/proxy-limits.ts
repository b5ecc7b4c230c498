// Limits of one command's proxy. Tests pass smaller ones.
import * as limits from "../limits.ts";

export interface ProxyLimits {
  /** Connections open at once, counted on the command's side. */
  connections: number;
  /** The headers of one request or answer. */
  headerBytes: number;
  /** How long headers, and the beginning of TLS, may take to arrive. */
  headersMs: number;
  /** How long a connection may be silent in both directions. */
  idleMs: number;
  /** Bytes in both directions together. */
  bytes: number;
}

export const proxyLimits: ProxyLimits = {
  connections: limits.netConnections,
  headerBytes: limits.netHeaderBytes,
  headersMs: limits.netHeadersMs,
  idleMs: limits.netIdleMs,
  bytes: limits.netBytes,
};
