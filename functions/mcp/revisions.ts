// The parts that both transports to an MCP server share: the protocol revisions, and the meaning of an error for a
// call.

export const offered = "2025-06-18";
/** Revisions of the specification in which tools have the same form. */
export const spoken: ReadonlySet<unknown> = new Set(["2024-11-05", "2025-03-26", offered, "2025-11-25"]);

/** JSON-RPC's codes for requests that were not carried out: parse error, invalid request, method not found. */
const notTried = new Set([-32700, -32600, -32601]);

/**
 * Any other error code may come after a part of the work: servers also send -32602 (invalid params) if a tool ran and
 * its result does not match its output schema.
 */
export function mayHaveRun(code: number): boolean {
  return !notTried.has(code);
}
