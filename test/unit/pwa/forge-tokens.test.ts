import { expect, test } from "vitest";
import { forgeTokens } from "../../../pwa/storage/forge-tokens.ts";
import { memoryKv } from "./memory-kv.ts";

const token = "played_pat_11AABBCC22ddeeff";

test("a token is stored encrypted: read for its host alone, with a key that cannot be extracted", async () => {
  const kv = memoryKv();
  const tokens = forgeTokens(kv, crypto.subtle);
  await tokens.keep("github.com", token);
  await tokens.keep("git.example.com:8443", "another one");
  expect(await forgeTokens(kv, crypto.subtle).read("github.com")).toBe(token);
  expect(await tokens.hosts()).toEqual(["git.example.com:8443", "github.com"]);

  const stored = [...kv.map.values()].map((value) => JSON.stringify(value) + String(value)).join();
  const bytes = [...kv.map.values()].flatMap((value) =>
    typeof value === "object" && value && "data" in value
      ? [Buffer.from(value.data as ArrayBuffer).toString()]
      : [],
  );
  expect(stored + bytes.join()).not.toContain(token);
  const key = kv.map.get("forge/key") as CryptoKey;
  await expect(crypto.subtle.exportKey("raw", key)).rejects.toThrow();

  // A token that was moved to another host by hand cannot be decrypted.
  kv.map.set("forge/token/evil.example", kv.map.get("forge/token/github.com"));
  expect(await tokens.read("evil.example")).toBe("");
  await tokens.drop("github.com");
  expect(await tokens.read("github.com")).toBe("");
});

test("two tabs that store tokens at the same time use one key", async () => {
  const kv = memoryKv();
  const [one, two] = [forgeTokens(kv, crypto.subtle), forgeTokens(kv, crypto.subtle)];
  await Promise.all([one.keep("a.example", "first"), two.keep("b.example", "second")]);
  expect([await two.read("a.example"), await one.read("b.example")]).toEqual(["first", "second"]);
});

test("where the page is not secure, tokens last as long as the page and nothing is stored", async () => {
  const kv = memoryKv();
  const tokens = forgeTokens(kv, undefined);
  await tokens.keep("github.com", token);
  expect([await tokens.read("github.com"), tokens.lasts, kv.map.size]).toEqual([token, false, 0]);
  expect(await forgeTokens(kv, undefined).read("github.com")).toBe("");
});
