// Tests a pairing token before it replaces another one. Stores nothing.
import { HandrailError } from "../../shared/errors.ts";

/**
 * `take`: the token works and replaces no working one. `ask`: it works, and so does the stored one, so the person
 * decides. `refused`: the server rejects it. `untried`: the server could not be reached, and a token is stored.
 */
export type Judgement = "take" | "ask" | "refused" | "untried";

/** `kept` is null if this device has no token. `asks` sends one request with a token and throws like the API. */
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
  // A string that an HTTP header cannot hold cannot be a token.
  if (!/^[!-~]+$/.test(token)) return "refused";
  try {
    await asks(token);
    return "works";
  } catch (error) {
    return error instanceof HandrailError && error.code === "unauthorized" ? "refused" : "untried";
  }
}
