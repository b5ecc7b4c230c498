// Verifies a JSON Web Token that an identity proxy signed (RFC 7515, RFC 7519): RS256 only, with keys given from outside.
import * as z from "zod/mini";

/** An RSA public key as a key set publishes it (RFC 7517). */
export const PublicKey = z.object({ kid: z.string(), kty: z.literal("RSA"), n: z.string(), e: z.string() });
export type PublicKey = z.infer<typeof PublicKey>;

export interface Expected {
  issuer: string;
  audience: string;
  /** Seconds since the epoch. */
  nowSeconds: number;
}

// We choose the algorithm: a token that names another one is refused unread.
const Header = z.looseObject({ alg: z.literal("RS256"), kid: z.string(), crit: z.optional(z.never()) });
const Claims = z.looseObject({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  nbf: z.optional(z.number()),
});

const rs256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;

/** Whether one of `keys` signed `token` for this audience, and it is valid now. Never throws. */
export async function isSigned(
  token: string,
  keys: readonly PublicKey[],
  expected: Expected,
): Promise<boolean> {
  try {
    const [header = "", claims = "", signature = "", ...more] = token.split(".");
    const { kid } = z.parse(Header, JSON.parse(decodeText(header)));
    const key = keys.find((candidate) => candidate.kid === kid);
    if (!key || more.length > 0) return false;
    const imported = await crypto.subtle.importKey("jwk", key, rs256, false, ["verify"]);
    const signed = new TextEncoder().encode(`${header}.${claims}`);
    if (!(await crypto.subtle.verify(rs256, imported, decode(signature), signed))) return false;
    return holds(z.parse(Claims, JSON.parse(decodeText(claims))), expected);
  } catch {
    return false;
  }
}

function holds({ iss, aud, exp, nbf }: z.infer<typeof Claims>, expected: Expected): boolean {
  const { issuer, audience, nowSeconds } = expected;
  return iss === issuer && [aud].flat().includes(audience) && exp > nowSeconds && (nbf ?? 0) <= nowSeconds;
}

function decodeText(part: string): string {
  return new TextDecoder().decode(decode(part));
}

function decode(part: string): Uint8Array<ArrayBuffer> {
  const binary = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
