// The tools of servers in a turn: which of them it has, under which names, and whether their programs have a network.
import { expect, test } from "vitest";
import { foundTools } from "../../../functions/mcp/find-tool.ts";
import { mcpLimits } from "../../../functions/mcp/limits.ts";
import { hasNetwork } from "../../../functions/mcp/session-network.ts";
import { callNames } from "../../../functions/mcp/tool-names.ts";
import { usedTools } from "../../../functions/mcp/turn-tool.ts";

const tool = (name: string, use: "off" | "asked" | "allowed") => ({
  name,
  description: "",
  inputSchema: {},
  use,
});

test("a tool that is off is left out; the others are bound to the place of their server, and know that it moved", async () => {
  const servers = [
    { name: "a", url: "https://a.example", tools: [tool("one", "off"), tool("two", "asked")] },
    { name: "b", tools: [tool("two", "allowed")] },
  ];
  const used = await usedTools(servers, {
    whereIs: ({ name }) => name,
    hasMoved: async ({ name }) => name === "b",
  });
  expect(used.map(({ shown, moved }) => [shown.name, moved])).toEqual([
    ["mcp__a__two", false],
    ["mcp__b__two", true],
  ]);
  expect(new Set(used.map(({ hash }) => hash)).size).toBe(2);
});

test("names are what every provider takes, and different", () => {
  const long = "x".repeat(100);
  const names = callNames(["a.b", "a_b", "ä b", long, long].map((name) => ({ server: "s", tool: name })));
  expect(names.slice(0, 3)).toEqual(["mcp__s__a_b", "mcp__s__a_b_2", "mcp__s____b"]);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(new Set(names).size).toBe(5);
});

test("a program has a network where the person allowed it for the session, and nowhere else", () => {
  const grant = (program: string) => ({ risk: "network", program, subcommand: "network" });
  const decided = (grants: object[], network = "none", mode = "normal") =>
    hasNetwork({ env: { grants, network }, state: { mode } } as never);
  expect(decided([grant("*")])).toBe(true);
  expect(decided([])).toBe(false);
  expect(decided([grant("*"), grant("never")])).toBe(false);
  expect(decided([{ risk: "remote", program: "curl", subcommand: "" }])).toBe(false);
  expect(decided([grant("*")], "full")).toBe(false);
  expect(decided([grant("*")], "none", "plan")).toBe(false);
});

test("a search shows at most five tools, and at most 6,000 characters of names where none fits", () => {
  const tools = Array.from({ length: 300 }, (_, at) => ({
    ...{ name: `mcp__server__post_${at}_${"x".repeat(30)}`, description: "", parameters: {} },
  }));
  expect(foundTools("post", tools).split("\n")).toHaveLength(mcpLimits.foundTools);
  expect(foundTools("nothing", tools).length).toBeLessThanOrEqual(6_000);
});
