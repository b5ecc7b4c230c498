// Random ids. They use getRandomValues, because a page on plain http has no randomUUID.

const alphabet = "0123456789abcdefghijklmnopqrstuv";

/** 26 characters of [0-9a-v]: 130 random bits. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(26));
  return Array.from(bytes, (byte) => alphabet[byte & 31]).join("");
}
