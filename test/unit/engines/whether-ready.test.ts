// The wait for a guest's server to answer, over connections of different speed.
import { expect, test } from "vitest";
import { whenReady } from "../../../functions/engines/whether-ready.ts";

const endpoint = { url: "http://guest", headers: {} };

test("a guest whose connection takes longer than the first tests allow is found ready", async () => {
  const allowed: number[] = [];
  /** Answers as soon as a test allows the eighth part of a second. */
  const slow: typeof fetch = (_, init) => {
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const answer = setTimeout(() => resolve(new Response("{}")), 125);
      init?.signal?.addEventListener("abort", () => {
        clearTimeout(answer);
        allowed.push(performance.now() - began);
        reject(init.signal?.reason);
      });
    });
  };
  const elapsed = () => performance.now();
  const ready = whenReady({ fetch: slow, elapsed, look: async () => endpoint, patienceMs: 20 });
  expect(await ready).toBe(endpoint);
  expect(allowed.length).toBeGreaterThan(1);
});
