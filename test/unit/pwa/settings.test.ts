import { expect, test } from "vitest";
import { addMalformed, readMalformed, readSettings, writeSettings } from "../../../pwa/storage/settings.ts";
import { memoryKv } from "./memory-kv.ts";

test("settings are read as they were written", async () => {
  const kv = memoryKv();
  await writeSettings(kv, { token: "t", theme: "dark", keepAwake: false });
  expect(await readSettings(kv)).toMatchObject({ token: "t", theme: "dark", keepAwake: false });
});

test("an unreadable setting does not affect the others, least of all the pairing", async () => {
  const kv = memoryKv();
  await kv.write([["settings", { token: "t", theme: "sepia", keys: { default: 7 }, modes: { "": "plan" } }]]);
  expect(await readSettings(kv)).toMatchObject({ token: "t", theme: "system", modes: { "": "plan" } });
});

test("concurrent malformed calls are all counted", async () => {
  const kv = memoryKv();
  const one = { "p/m": { repaired: 1, returned: 0, kinds: { fences: 1 } } };
  await Promise.all([addMalformed(kv, one), addMalformed(kv, one)]);
  expect(await readMalformed(kv)).toEqual({ "p/m": { repaired: 2, returned: 0, kinds: { fences: 2 } } });
});
