import { expect, test, vi } from "vitest";
import { mcpTokens, sealedFor, tokenHeader } from "../../../pwa/storage/mcp-tokens.ts";
import { memoryKv } from "./memory-kv.ts";

const place = { name: "docs", url: "https://docs.example/mcp" };
const header = { "x-mcp-tokens": '{"docs":"a token"}' };

test("where the page is not secure, a token stored by Settings is still sent with turns", async () => {
  vi.stubGlobal("crypto", {});
  try {
    const kv = memoryKv();
    await mcpTokens(kv).keep(sealedFor(place), "a token");
    expect(await tokenHeader(mcpTokens(kv), [place, { name: "of-the-edge" }])).toEqual(header);
    expect(kv.map.size).toBe(0);
  } finally {
    vi.unstubAllGlobals();
  }
});

test("a token is sent to the address it was given for", async () => {
  const tokens = mcpTokens(memoryKv());
  await tokens.keep(sealedFor(place), "a token");
  expect(await tokenHeader(tokens, [place])).toEqual(header);
  expect(await tokenHeader(tokens, [{ ...place, url: "https://evil.example/mcp" }])).toEqual({});
});
