// The MCP servers with which a turn may be posted, and with which its request may be stored.

import { expect, test } from "vitest";
import * as z from "zod/mini";
import { holdKeys } from "../../../functions/mcp/for-turn.ts";
import {
  hasMoved,
  httpServer,
  knownServers,
  postedServers,
  readTokens,
  redactFor,
  shownPlace,
} from "../../../functions/mcp/server-list.ts";
import { TurnRequest } from "../../../shared/turn.ts";

const posted = (mcp: unknown[]) => {
  const request = z.parse(TurnRequest, {
    ...{ protocol: 1, turnId: "t", sandboxId: "s", mode: "normal", messages: [], plan: null },
    ...{ input: { type: "continue" }, options: { mcp } },
  });
  return () => postedServers(request);
};
const tool = { name: "post", inputSchema: {}, use: "asked" };

test.each([
  [
    "two with one name",
    [
      { name: "a", url: "https://a.example", tools: [] },
      { name: "a", tools: [] },
    ],
    "two servers have one name",
  ],
  [
    "one with an address and a command",
    [{ name: "a", url: "https://a.example", command: "npx a", tools: [] }],
    "not both",
  ],
  [
    "a command of two lines",
    [{ name: "a", command: "npx a\nrm b", tools: [] }],
    "one line of visible characters",
  ],
  [
    "a command with what does not show",
    [{ name: "a", command: "npx a\u202e", tools: [] }],
    "one line of visible characters",
  ],
  [
    "more than 400 KB of tools",
    [
      {
        name: "a",
        url: "https://a.example",
        tools: Array.from({ length: 25 }, (_, at) => ({
          ...tool,
          name: `t${at}`,
          description: "x".repeat(17_000),
        })),
      },
    ],
    "more than 400 KB",
  ],
])("a turn with %s is refused", (_, mcp, why) => {
  expect(posted(mcp)).toThrow(why);
});

test("a token of the request is for its server alone, never for one of the edge by that name", async () => {
  const mcp = JSON.stringify({ docs: { url: "https://docs.example/mcp", token: "token-of-the-edge" } });
  const tokens = { docs: "token-of-the-phone" };
  const sent: (string | null)[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent.push(new Headers(init?.headers).get("authorization"));
    return new Response("", { status: 401 });
  };
  const signal = new AbortController().signal;
  for (const place of [{ name: "docs" }, { name: "docs", url: "https://docs.example/mcp" }])
    await httpServer({ mcp, version: "1" }, place, { tokens, fetch, signal })
      .open()
      .catch(() => undefined);
  expect(sent).toEqual(["Bearer token-of-the-edge", "Bearer token-of-the-phone"]);
  expect(redactFor({ mcp, secrets: [] }, { name: "docs" }, tokens)("token-of-the-edge")).toBe(
    "[redacted: secret]",
  );
});

test("a request with a key in an address or a command is not stored", () => {
  expect(
    holdKeys([
      { name: "a", url: "https://a.example/mcp?project=shop" },
      { name: "b", command: "npx b ." },
      7,
    ]),
  ).toBe(false);
  expect(holdKeys([{ name: "a", url: "https://a.example/mcp?key=abc" }])).toBe(true);
  expect(holdKeys([{ name: "b", command: "B_TOKEN=abc npx b" }])).toBe(true);
});

test("a command that is far too long is refused with the turn, and not looked through before", () => {
  const command = "a".repeat(3_000_000);
  expect(holdKeys([{ name: "a", command }])).toBe(false);
  expect(posted([{ name: "a", command, tools: [] }])).toThrow("options.mcp");
});

test("the settings name servers by short names, and a header has tokens of a usual length", () => {
  expect(() => knownServers({ mcp: JSON.stringify({ "Bad name": { url: "https://a.example" } }) })).toThrow(
    "HANDRAIL_MCP cannot be read",
  );
  expect(() => readTokens(JSON.stringify({ a: "x".repeat(8_001) }))).toThrow("x-mcp-tokens");
});

/** The headers of the first request to a server, or why none was sent. */
async function firstRequest(place: { name: string; url?: string }, tokens = {}, hosts?: string[]) {
  let sent: string | null | undefined;
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent = new Headers(init?.headers).get("authorization");
    return new Response("", { status: 401 });
  };
  const signal = new AbortController().signal;
  const deps = { version: "1", ...(hosts ? { hosts } : {}) };
  try {
    await httpServer(deps, place, { tokens, fetch, signal }).open();
  } catch (error) {
    if (sent === undefined) return String(error);
  }
  return sent;
}

test("a server gets the token under its own name, and none that every object has", async () => {
  const tokens = { a: "token-of-a" };
  expect(await firstRequest({ name: "a", url: "https://a.example" }, tokens)).toBe("Bearer token-of-a");
  for (const name of ["b", "constructor"])
    expect(await firstRequest({ name, url: "https://a.example" }, tokens)).toBeNull();
  expect(await firstRequest({ name: "constructor" }, tokens)).toContain("is not one that this edge");
});

test("an address is checked before anything is sent, and more strictly where the edge is hosted", async () => {
  expect(await firstRequest({ name: "a", url: "https://metadata.goog" })).toContain("is never called");
  expect(await firstRequest({ name: "a", url: "https://localhost" })).toContain(
    "reaches no machine of yours",
  );
  expect(await firstRequest({ name: "a", url: "https://localhost" }, {}, [])).toBeNull();
});

test("a server of the settings has moved unless its address is the one that was seen", async () => {
  const mcp = JSON.stringify({ a: { url: "https://a.example" } });
  const digest = async (text: string) =>
    Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("hex");
  expect(await hasMoved({ mcp }, { name: "a", at: await digest("https://a.example") })).toBe(false);
  expect(await hasMoved({ mcp }, { name: "a", at: await digest("https://b.example") })).toBe(true);
  expect(await hasMoved({ mcp }, { name: "a" })).toBe(true);
  expect(await hasMoved({ mcp }, { name: "a", url: "https://b.example" })).toBe(false);
});

test("an address is shown without its query, its long parts and its keys", () => {
  const shown = (url: string) => shownPlace({}, { name: "a", url });
  expect(shown("https://a.example/mcp?team=1")).toBe("https://a.example/mcp");
  expect(shown("https://a.example/?team=1")).toBe("https://a.example");
  expect(shown(`https://a.example/${"word-".repeat(5)}/mcp`)).toBe("https://a.example/…/mcp");
  expect(shown("https://a.example/a1b2c3d4e5f6a7b8c9/mcp")).toBe("https://a.example/…/mcp");
});
