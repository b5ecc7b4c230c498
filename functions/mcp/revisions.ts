// What both ways to an MCP server have in common: the revisions that are spoken, and what an error says of a call.

export const offered = "2025-06-18";
/** Revisions whose tools read the same. */
export const spoken: ReadonlySet<unknown> = new Set(["2024-11-05", "2025-03-26", offered, "2025-11-25"]);

/** JSON-RPC has codes for what was never tried: it cannot be read, it is no request, there is no such method. */
const notTried = new Set([-32700, -32600, -32601]);

/**
 * An error of any other code may come from the middle of the work: -32602 (invalid params) is also sent by servers whose
 * tool ran and gave what its output schema does not allow.
 */
export function mayHaveRun(code: number): boolean {
  return !notTried.has(code);
}
