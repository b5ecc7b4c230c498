// Judges a pairing token before it replaces another. Stores nothing.
import { HandrailError } from "../../shared/errors.ts";

/**
 * `take`: it works and replaces no working one. `ask`: it works, and so does the stored one. `refused`: the server
 * rejects it. `untried`: the server could not be reached, and a token is stored.
 */
export type Judgement = "take" | "ask" | "refused" | "untried";

/** `kept`: null if this device has none. `asks` sends one request with a token; throws as the API does. */
export async function judgeToken(
  token: string,
  kept: string | null,
  asks: (token: string) => Promise<unknown>,
): Promise<Judgement> {
  const found = await tried(token, asks);
  if (found === "refused") return "refused";
  if (kept === null || kept === token) return "take";
  if (found === "untried") return "untried";
  return (await tried(kept, asks)) === "refused" ? "take" : "ask";
}

async function tried(
  token: string,
  asks: (token: string) => Promise<unknown>,
): Promise<"works" | "refused" | "untried"> {
  // A string that a header cannot hold is nobody's token.
  if (!/^[!-~]+$/.test(token)) return "refused";
  try {
    await asks(token);
    return "works";
  } catch (error) {
    return error instanceof HandrailError && error.code === "unauthorized" ? "refused" : "untried";
  }
}
