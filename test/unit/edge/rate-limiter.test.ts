import { expect, test } from "vitest";
import { createRateLimiter } from "../../../functions/rate-limiter.ts";

test("a burst up to the limit passes, the next request is told when to come back", async () => {
  let nowMs = 0;
  const limiter = createRateLimiter(60, () => nowMs);
  for (let count = 0; count < 60; count++) expect(await limiter("a")).toEqual({ ok: true });
  expect(await limiter("a")).toEqual({ ok: false, retryAfterSeconds: 1 });
  nowMs = 1_000;
  expect(await limiter("a")).toEqual({ ok: true });
  expect(await limiter("a")).toEqual({ ok: false, retryAfterSeconds: 1 });
});

test("a long rest saves up no more than one burst", async () => {
  let nowMs = 0;
  const limiter = createRateLimiter(2, () => nowMs);
  await limiter("a");
  nowMs = 3_600_000;
  const passed = [await limiter("a"), await limiter("a"), await limiter("a")];
  expect(passed.map(({ ok }) => ok)).toEqual([true, true, false]);
});

test("one key's requests are not another's", async () => {
  const limiter = createRateLimiter(10, () => 0);
  for (let count = 0; count < 10; count++) await limiter("a");
  expect((await limiter("a")).ok).toBe(false);
  expect((await limiter("b")).ok).toBe(true);
});

test("retrying while refused does not delay the time when it may pass again", async () => {
  let nowMs = 0;
  const limiter = createRateLimiter(10, () => nowMs);
  for (let count = 0; count < 200; count++) await limiter("a");
  nowMs = 6_000;
  expect((await limiter("a")).ok).toBe(true);
});

test("a clock that goes back gives nothing away and blocks nobody for long", async () => {
  let nowMs = 100_000;
  const limiter = createRateLimiter(10, () => nowMs);
  for (let count = 0; count < 10; count++) await limiter("a");
  nowMs = 0;
  expect((await limiter("a")).ok).toBe(false);
  nowMs = 6_000;
  expect((await limiter("a")).ok).toBe(true);
});

test("endless addresses do not fill the memory: the oldest are forgotten", async () => {
  const limiter = createRateLimiter(10, () => 0);
  for (let count = 0; count < 10; count++) await limiter("first");
  for (let index = 0; index < 10_000; index++) await limiter(`address ${index}`);
  expect((await limiter("first")).ok).toBe(true);
});

test("an address that keeps coming is not the one that is forgotten", async () => {
  const limiter = createRateLimiter(1, () => 0);
  await limiter("first");
  for (let index = 0; index < 9_999; index++) await limiter(`address ${index}`);
  await limiter("first");
  await limiter("one more");
  expect((await limiter("first")).ok).toBe(false);
});
