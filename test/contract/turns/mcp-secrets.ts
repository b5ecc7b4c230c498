// Secrets of MCP servers, and hidden text in their tools: what the model, the history and the phone see
// instead.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { McpToolList } from "../../../shared/mcp.ts";
import { shownSchema } from "../../../shared/shown-tool.ts";
import { type FakeMcp, type FakeTool, startMcpServer } from "../../fakes/mcp-server.ts";
import { dataOf } from "../../harness/conversation.ts";
import { ask, post } from "../http/request.ts";
import type { Stage } from "./stage.ts";

const github = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const odd = 'k"ey\\of-the-9-person';
/** A key of the kind that some services have in their address. */
const inAddress = "a1b2c3d4e5f6a7b8c9d0";

/** Used instead of `toContain`, which would print every request if it failed. */
const holds = (everything: string, text: string) => everything.includes(text);

export function describeMcpSecrets(stage: Stage): void {
  describe("secrets of an mcp server", () => {
    let server: FakeMcp;
    beforeAll(async () => {
      server = await startMcpServer();
    });
    afterAll(() => server.close());

    interface Place {
      name?: string;
      url?: string;
      token?: string;
    }
    const headersOf = ({ name = "fake", token }: Place): Record<string, string> =>
      token === undefined ? {} : { "x-mcp-tokens": JSON.stringify({ [name]: token }) };
    const list = async (place: Place = {}) => {
      const { name = "fake", url = server.url } = place;
      const { json } = await ask(stage.product(), "/api/mcp/tools", {
        ...post({ name, url }),
        headers: { "content-type": "application/json", ...headersOf(place) },
      });
      return McpToolList.parse(json).tools;
    };
    /** A turn that calls the only tool, as it was listed with `place`. */
    const call = async (tool: FakeTool, place: Place = {}, use: "asked" | "allowed" = "allowed") => {
      Object.assign(server, { tools: [tool], calls: [], seen: [] });
      const { name = "fake", url = server.url } = place;
      const tools = (await list(place)).map((one) => ({ ...one, use }));
      const called = `mcp__${name}__${tool.name}`;
      const talk = await stage.open([{ calls: [{ id: "m-1", name: called, args: {} }] }, { text: "done" }]);
      talk.options = { mcp: [{ name, url, tools }] };
      talk.headers = headersOf(place);
      const before = stage.model().requests.length;
      const events = await talk.say("Go.");
      const everything = JSON.stringify([events, talk.messages, stage.model().requests.slice(before)]);
      return { talk, events, tools, everything, result: use === "asked" ? undefined : talk.result(called) };
    };

    test.each<[string, Partial<FakeTool>]>([
      ["a result", { gives: `GITHUB_TOKEN=${github}\nDB_PASSWORD=hunter2hunter2` }],
      [
        "a structured result",
        { gives: { content: [], structuredContent: { password: "hunter2hunter2", t: github } } },
      ],
      [
        "a resource",
        { gives: { content: [{ type: "resource", resource: { uri: `x://${github}`, text: github } }] } },
      ],
      ["an error", { refuses: `Not for ${github}`, code: -32000 }],
      ["an error of the tool", { gives: { isError: true, content: [{ type: "text", text: github }] } }],
    ])("%s with secrets of known forms is marked before anybody sees it", async (_, tool) => {
      const { result, everything } = await call({ name: "echo", ...tool });
      expect(result?.content).toContain("[redacted: GitHub token]");
      expect(holds(everything, github)).toBe(false);
      expect(holds(everything, "hunter2hunter2")).toBe(false);
    });

    test.each([
      ["as it is", odd],
      ["in JSON", JSON.stringify({ odd })],
      ["in base64", btoa(`user:${odd}`)],
      ["in a URL", encodeURIComponent(odd)],
    ])("a token with a quote and a backslash is marked where it comes back %s", async (_, gives) => {
      const { result, everything } = await call({ name: "echo", gives }, { token: `X-Key: ${odd}` });
      expect(server.seen.at(-1)?.["x-key"]).toBe(odd);
      expect(result?.content).toContain("[redacted: secret]");
      for (const form of [odd, JSON.stringify(odd).slice(1, -1), encodeURIComponent(odd), gives])
        expect(holds(everything, JSON.stringify(form).slice(1, -1))).toBe(false);
    });

    test("a tool that repeats its token is listed without it, and called, also after the token was changed", async () => {
      const token = 'say-"friend"-1';
      const describing = (said: string) => ({
        ...{ name: "echo", description: `You are ${said}.` },
        inputSchema: { type: "object", properties: { key: { type: "string", default: said } } },
      });
      const { talk, tools, result, everything } = await call(describing(token), { token: `X-Key: ${token}` });
      expect(tools).toMatchObject([
        {
          description: "You are [redacted: secret].",
          inputSchema: { properties: { key: { default: "[redacted: secret]" } } },
        },
      ]);
      expect(result?.ok).toBe(true);
      expect(holds(everything, "friend")).toBe(false);
      server.tools = [describing("another-token-2")];
      talk.headers = { "x-mcp-tokens": JSON.stringify({ fake: "X-Key: another-token-2" }) };
      stage.model().play([{ calls: [{ id: "m-2", name: "mcp__fake__echo", args: {} }] }, { text: "done" }]);
      await talk.say("Again.");
      expect(talk.result("mcp__fake__echo").ok).toBe(true);
      expect(server.calls).toEqual(["echo", "echo"]);
    });

    test("a key in the address goes to the server, and is in no question, event or result", async () => {
      const url = `${server.url}/${inAddress}?api_key=${inAddress}2`;
      const asked = await call({ name: "echo" }, { url }, "asked");
      expect(dataOf(asked.events, "permission").why).toContain(`${server.url}/…`);
      expect(holds(asked.everything, inAddress)).toBe(false);
      const told = await call({ name: "echo", refuses: `no such key: ${inAddress}2` }, { url });
      expect(told.result?.content).toContain("[redacted: secret]");
      expect(holds(told.everything, inAddress)).toBe(false);
    });

    test("a server named like a property of every object is called with its token", async () => {
      const { result } = await call({ name: "constructor" }, { name: "constructor", token: "its-own-token" });
      expect(result).toMatchObject({ ok: true });
      expect(server.seen.at(-1)?.authorization).toBe("Bearer its-own-token");
      expect((await call({ name: "toString" }, { name: "constructor" })).result).toMatchObject({ ok: true });
      expect(server.seen.at(-1)?.authorization).toBeUndefined();
      for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
        const { status, text } = await ask(stage.product(), "/api/mcp/tools", post({ name }));
        const why =
          name === "constructor" ? "not one that this edge was started with" : "1 to 30 of a-z 0-9 -";
        expect([status, text], name).toEqual([400, expect.stringContaining(why)]);
      }
    });

    test("the model reads a schema as the person does, with marks for hidden characters in names and values", async () => {
      const inputSchema = {
        type: "object",
        properties: {
          "pa\u200bth": { type: "string", enum: ["a\u202eb"], examples: ["\u{e0041}x"], default: "\u3164" },
        },
        required: ["pa\u200bth"],
      };
      const { tools } = await call({ name: "echo", inputSchema });
      const [shown] =
        stage
          .model()
          .requests.at(-1)
          ?.body.tools?.filter(({ function: { name } }) => name === "mcp__fake__echo") ?? [];
      expect(shown?.function.parameters).toEqual({
        type: "object",
        properties: {
          "pa⟨U+200B⟩th": {
            ...{ type: "string", enum: ["a⟨U+202E⟩b"] },
            ...{ examples: ["⟨U+E0041⟩x"], default: "⟨U+3164⟩" },
          },
        },
        required: ["pa⟨U+200B⟩th"],
      });
      expect(shownSchema(tools[0]?.inputSchema ?? {})).toEqual(shown?.function.parameters);
    });

    test("a program whose command has a key in it is not started, asked about or stored", async () => {
      const command = "FOO_KEY=open-sesame-1 node small-mcp.mjs";
      const talk = await stage.open([
        { calls: [{ id: "m-1", name: "mcp__small__echo", args: {} }] },
        { text: "done" },
      ]);
      const asked = await ask(
        stage.product(),
        "/api/mcp/tools",
        post({ name: "small", command, sandboxId: talk.sandboxId }),
      );
      expect([asked.status, asked.text]).toEqual([
        400,
        expect.stringContaining("a key, token or password in it"),
      ]);
      const tool = { name: "echo", description: "", inputSchema: { type: "object" }, use: "asked" as const };
      talk.options = { mcp: [{ name: "small", command, tools: [tool] }] };
      const events = await talk.say("Go.");
      expect(talk.result("mcp__small__echo").content).toContain("a key, token or password in it");
      expect(JSON.stringify([events, talk.messages])).not.toContain("open-sesame");
    });
  });
}
