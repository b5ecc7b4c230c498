import { expect, test } from "vitest";
import { readSettings, writeSettings } from "../../../pwa/storage/settings.ts";
import { memoryKv } from "./memory-kv.ts";

test("settings are read as they were written", async () => {
  const kv = memoryKv();
  await writeSettings(kv, { token: "t", theme: "dark", keepAwake: false });
  expect(await readSettings(kv)).toMatchObject({ token: "t", theme: "dark", keepAwake: false });
});

test("one that does not read takes none of the others with it, the pairing least of all", async () => {
  const kv = memoryKv();
  await kv.write([["settings", { token: "t", theme: "sepia", keys: { default: 7 }, modes: { "": "plan" } }]]);
  expect(await readSettings(kv)).toMatchObject({ token: "t", theme: "system", modes: { "": "plan" } });
});
