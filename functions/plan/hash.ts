// SHA-256 as lower-case hex, with the platform's own WebCrypto.

/** Hex SHA-256 of `text` in UTF-8: a plan's hash is that of its markdown. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
