// What the phone is given of a server's tools before it posts any: without tokens, and from no address that is not called.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeMcp, startMcpServer } from "../../fakes/mcp-server.ts";
import { ask, post } from "../http/request.ts";
import type { Stage } from "./stage.ts";

const token = "mcp-secret-token-123456";

export function describeMcpLists(stage: Stage): void {
  describe("the tool list of an mcp server", () => {
    let server: FakeMcp;
    beforeAll(async () => {
      server = await startMcpServer();
    });
    afterAll(() => server.close());

    test.each([token, `X-Api-Key: ${token}`, `Authorization: Bearer ${token}`])(
      "that repeats the token %s is shown without it",
      async (given) => {
        server.tools = [{ name: "echo", description: `You are ${token}.` }];
        const { status, text } = await ask(stage.product(), "/api/mcp/tools", {
          ...post({ name: "fake", url: server.url }),
          headers: {
            "content-type": "application/json",
            "x-mcp-tokens": JSON.stringify({ fake: given }),
          },
        });
        expect([status, text]).toEqual([200, expect.stringContaining("You are")]);
        expect(text).not.toContain(token);
      },
    );

    test.each([
      ["http://example.com/mcp", "unencrypted"],
      ["https://169.254.169.254/mcp", "never called"],
      ["file:///etc/passwd", "use https"],
    ])("is not requested from %s", async (url, why) => {
      const { status, text } = await ask(stage.product(), "/api/mcp/tools", post({ name: "fake", url }));
      expect([status, text]).toEqual([400, expect.stringContaining(why)]);
    });
  });
}
