// What both ways to an MCP server have in common: the revisions that are spoken, and what an error says of a call.

export const offered = "2025-06-18";
/** Revisions of the specification whose tools have the same form. */
export const spoken: ReadonlySet<unknown> = new Set(["2024-11-05", "2025-03-26", offered, "2025-11-25"]);

/** JSON-RPC's codes for requests that were never tried: parse error, invalid request, method not found. */
const notTried = new Set([-32700, -32600, -32601]);

/**
 * Any other error code may come from the middle of the work: servers also send -32602 (invalid params) when a tool ran
 * and its result does not fit its output schema.
 */
export function mayHaveRun(code: number): boolean {
  return !notTried.has(code);
}
