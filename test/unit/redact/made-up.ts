// Random-looking texts for tests of redaction, the same in every run. Secrets are joined from parts, so that
// no secret scanner reports a test.
const mixed = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7xC0uR".repeat(20);
const hexes = "3f9a1c7e5b2d8046".repeat(20);
const uppers = "Q7XK2MZ4P9RT3VW6Y5BN8HJ1LD0FGSCA".repeat(10);
export const letters = (count: number) => mixed.slice(0, count);
export const hex = (count: number) => hexes.slice(0, count);
export const upper = (count: number) => uppers.slice(0, count);
export const join = (...parts: string[]) => parts.join("");
export const uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

export interface Sample {
  name: string;
  text: string;
  /** The part that redaction must remove. */
  secret: string;
}

export const held = (name: string, before: string, secret: string, after = ""): Sample => ({
  name,
  text: before + secret + after,
  secret,
});
