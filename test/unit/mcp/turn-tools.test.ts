// When a call of a server's tool waits for the person, what they are asked, and which calls are not made at all.
import { describe, expect, test } from "vitest";
import { TurnTools } from "../../../functions/mcp/turn-tools.ts";
import type { McpServer } from "../../../shared/mcp.ts";

const tool = (name: string, use: "asked" | "allowed", more = {}) => ({
  ...{ name, description: "", inputSchema: {}, use },
  ...more,
});
const servers: McpServer[] = [
  {
    name: "docs",
    url: "https://docs.example/a-key",
    tools: [
      tool("post\u202e\n", "asked"),
      tool("look", "allowed", { readOnly: true }),
      tool("both", "asked"),
    ],
  },
  { name: "gone", tools: [tool("moved", "asked")] },
  { name: "keyed", command: "A_TOKEN=abc npx a", tools: [tool("run", "asked"), tool("both", "asked")] },
];
const tools = await TurnTools.of(servers, {
  connect: () => {
    throw new Error("nothing is asked here");
  },
  redactFor: () => (text) => text,
  shownPlace: ({ name }) => `place of ${name}`,
  whereIs: ({ url = "", command = "" }) => url + command,
  hasMoved: async ({ name }) => name === "gone",
  commandOf: ({ command }) => command,
  version: "1",
  stop: new AbortController().signal,
  now: () => 1,
});

interface Grant {
  risk: string;
  program: string;
  subcommand: string;
}
const turnOf = (grants: Grant[] = [], mode = "normal") =>
  ({ env: { grants, network: "full" }, state: { mode }, began: () => false }) as never;
const pendingOf = (name: string, args: unknown = { text: "hello" }, permitted = false) =>
  ({ key: "k", permitted, call: { id: "c", name, arguments: JSON.stringify(args) } }) as never;
const asks = (name: string, grants?: Grant[], permitted = false, mode = "normal") =>
  tools.asks(turnOf(grants, mode), pendingOf(name, undefined, permitted));
const refused = (name: string, args?: unknown, mode = "normal") =>
  tools.prepare(turnOf([], mode), pendingOf(name, args));

const post = "mcp__docs__post__";
const question = () => {
  const [draft] = asks(post)?.drafts ?? [];
  return draft?.event === "permission" ? draft.data : undefined;
};

describe("a tool that is to be asked about", () => {
  test("is shown with marks, its server and where that is, and everything that is sent", () => {
    expect(question()).toMatchObject({
      ...{ risk: "mcp", program: "docs", subcommand: expect.stringMatching(/^post\u202e\n [0-9a-f]{16}$/) },
      why: expect.stringContaining("`post⟨U+202E⟩⟨U+000A⟩`"),
      commands: [expect.stringContaining('"text": "hello"')],
    });
    expect(question()?.why).toContain("`place of docs`");
    expect(question()?.why).not.toContain("a-key");
  });

  test("waits until exactly it is allowed", () => {
    const { program = "", subcommand = "" } = question() ?? {};
    const grant = { risk: "mcp", program, subcommand };
    expect(asks(post, [grant])).toBeUndefined();
    for (const other of [{ risk: "remote" }, { program: "keyed" }, { subcommand: "post" }])
      expect(asks(post, [{ ...grant, ...other }])).toBeDefined();
    expect(asks(post, [], true)).toBeUndefined();
    expect(asks("mcp__docs__look")).toBeUndefined();
  });

  test("is not asked about where it is not called: moved, with a key in its command, or in plan mode", () => {
    expect(asks("mcp__gone__moved")).toBeUndefined();
    expect(refused("mcp__gone__moved")).toMatchObject({ outcome: { ok: false } });
    expect(asks("mcp__keyed__run")).toBeUndefined();
    expect(asks(post, [], false, "plan")).toBeUndefined();
    expect(refused(post, undefined, "plan")).toMatchObject({
      outcome: { text: expect.stringContaining("not available in planning mode") },
    });
    expect(tools.definitions("plan").map(({ name }) => name)).toEqual(["mcp__docs__look"]);
  });
});

test.each([
  ["arguments that are no object", post, "hello", "have to be a JSON object"],
  ["a name that two servers have", "call_tool", { name: "both", arguments: {} }, "there is no tool"],
  ["a name that none has", "call_tool", { name: "none", arguments: {} }, "there is no tool"],
])("a call with %s is refused", (_, name, args, why) => {
  expect(refused(name, args)).toMatchObject({ outcome: { ok: false, text: expect.stringContaining(why) } });
});
