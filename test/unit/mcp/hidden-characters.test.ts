// Hidden characters in the texts of an MCP server: the model reads marks in their place, wherever the text ends up.
import { expect, test } from "vitest";
import { changed, lost } from "../../../functions/mcp/outcomes.ts";
import { usedTools } from "../../../functions/mcp/turn-tool.ts";

/** A right-to-left override, which reverses what follows on the screen. */
const hidden = "\u202e";
const mark = "⟨U+202E⟩";

const placeOf = { whereIs: () => "https://fake.example/mcp", hasMoved: async () => false };

test("a tool's description, and names, texts and lists of its schema, show marks", async () => {
  const inputSchema = {
    type: "object",
    properties: { [`name${hidden}`]: { type: "string", description: `text${hidden}`, enum: [`a${hidden}`] } },
    required: [`name${hidden}`],
  };
  const tool = { name: "post", description: `Posts${hidden}`, inputSchema, use: "allowed" as const };
  const [used] = await usedTools([{ name: "fake", url: "https://fake.example/mcp", tools: [tool] }], placeOf);
  expect(used?.shown.description).toBe(`[MCP server fake] Posts${mark}`);
  expect(used?.shown.parameters).toEqual({
    type: "object",
    properties: { [`name${mark}`]: { type: "string", description: `text${mark}`, enum: [`a${mark}`] } },
    required: [`name${mark}`],
  });
});

/** A line end begins a line that is not the server's. */
const name = `post${hidden}\nx`;
test.each([
  ["a call whose outcome is unknown", lost("fake", name)],
  ["a tool that is gone", changed("fake", name, true)],
  ["a tool that has changed", changed("fake", name, false)],
])("the name in the result of %s shows marks and stays on its line", (_what, { text }) => {
  expect(text).toContain(`post${mark}⟨U+000A⟩x`);
  expect(text).not.toContain(hidden);
});
