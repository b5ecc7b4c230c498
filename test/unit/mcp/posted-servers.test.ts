// The MCP servers with which a turn may be posted, and with which its request may be stored.

import { expect, test } from "vitest";
import * as z from "zod/mini";
import { holdKeys } from "../../../functions/mcp/for-turn.ts";
import { httpServer, postedServers, redactFor } from "../../../functions/mcp/server-list.ts";
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
