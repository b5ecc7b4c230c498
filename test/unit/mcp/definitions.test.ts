// The tools of a server's list that are accepted, and what a permission for one of them is bound to.
import { expect, test } from "vitest";
import { hashOfTool, readTools } from "../../../functions/mcp/definitions.ts";
import { mcpLimits } from "../../../functions/mcp/limits.ts";
import { redactOf } from "../../../functions/mcp/secrets.ts";

const inputSchema = { type: "object" };
const named = (said: readonly unknown[], isProgram = false) => {
  const { tools, left } = readTools(said, redactOf([], ["the-token-1"]), isProgram);
  return { names: tools.map(({ name }) => name), left, tools };
};
const nested = (depth: number): unknown => (depth === 0 ? {} : { in: nested(depth - 1) });

test("of two tools with one name the first is used", () => {
  const { tools, left } = named([
    { name: "post", description: "one", inputSchema },
    { name: "post", description: "two", inputSchema },
  ]);
  expect(tools.map(({ description }) => description)).toEqual(["one"]);
  expect(left).toBe(1);
});

test.each([
  ["nested without end", { name: "t", inputSchema: { a: nested(45) } }],
  [
    "larger than one tool may be",
    { name: "t", description: "x".repeat(mcpLimits.toolChars - 100), inputSchema: { a: "y".repeat(200) } },
  ],
  ["with a secret in its name, since no call could name it", { name: "post-the-token-1", inputSchema }],
  ["without a schema", { name: "t" }],
  ["with a number as its name", { name: 5, inputSchema }],
  ["that is no object", "t"],
])("a tool %s is left out", (_, tool) => {
  expect(named([tool, { name: "good", inputSchema }])).toMatchObject({ names: ["good"], left: 1 });
});

test("at most 300 tools are read, with about a million characters in all", () => {
  const many = Array.from({ length: 301 }, (_, at) => ({ name: `t${at}`, inputSchema }));
  expect(named(many)).toMatchObject({ left: 1 });
  const large = many.map((tool) => ({ ...tool, description: "x".repeat(19_000) }));
  const { tools } = named(large);
  expect(JSON.stringify(tools).length).toBeLessThan(mcpLimits.listChars + mcpLimits.toolChars);
  expect(tools.length).toBeGreaterThan(40);
});

test("only a literal true makes a tool read-only, and only our own program reports the form of its text", () => {
  const form = "a".repeat(64);
  const said = [
    { name: "a", inputSchema, annotations: { readOnlyHint: "yes" }, form },
    { name: "b", inputSchema, annotations: { readOnlyHint: true }, form },
  ];
  const plain = { description: "", inputSchema };
  expect(named(said).tools).toEqual([
    { name: "a", ...plain },
    { name: "b", ...plain, readOnly: true },
  ]);
  expect(named(said, true).tools.map((tool) => tool.form)).toEqual([form, form]);
});

test("a permission is bound to the tool's server, name, description, schema and read-only flag", async () => {
  const tool = {
    name: "post",
    description: "Posts.",
    inputSchema: { type: "object", a: 1, b: { c: 2, d: 3 } },
  };
  const hash = await hashOfTool("https://x.example", tool);
  const same = { ...tool, inputSchema: { b: { d: 3, c: 2 }, a: 1, type: "object" } };
  expect(await hashOfTool("https://x.example", same)).toBe(hash);
  const others = await Promise.all([
    hashOfTool("https://y.example", tool),
    ...[
      { name: "post2" },
      { description: "Posts!" },
      { inputSchema },
      { readOnly: true },
      { form: "b".repeat(64) },
    ].map((change) => hashOfTool("https://x.example", { ...tool, ...change })),
  ]);
  expect(new Set([hash, ...others]).size).toBe(7);
});

test("a tool's texts are listed without secrets", () => {
  const { tools } = named([{ name: "t", description: "use the-token-1", inputSchema: { a: "the-token-1" } }]);
  expect(JSON.stringify(tools)).not.toContain("the-token-1");
  expect(tools).toHaveLength(1);
});
