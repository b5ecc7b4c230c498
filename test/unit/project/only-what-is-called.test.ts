// What is left out of the edge's bundles: only what is there, is whole, and is not called.
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { onlyWhatIsCalled, without } from "../../../scripts/build/only-what-is-called.ts";

const client = `import { Chat, Audio as Sound, } from "./resources/index.mjs";
import { sleep } from "./internal/sleep.mjs";
class Client {
    constructor() {
        this.chat = new API.Chat(this);
    }
    async retry(ms) {
        if (ms > 0) {
            await sleep(ms);
        }
        return this.post();
    }
    post() {
        log(this).info("posted", {
            at: 1,
        });
        return 1;
    }
}`;

describe("leaving out", () => {
  test("takes imports, methods, blocks, statements and lines, each whole", () => {
    const cut = {
      imports: /resources\//,
      methods: ["retry"],
      statements: ["log(this)."],
      lines: [/this\.\w+ = new API\.\w+\(this\);/],
    };
    expect(without(cut, client).replace(/\s+/g, " ")).toBe(
      'class Chat {} class Sound {} import { sleep } from "./internal/sleep.mjs"; class Client { constructor() { } post() { return 1; } }',
    );
    expect(without({ blocks: ["if (ms >"] }, client)).not.toContain("await sleep(ms)");
  });

  test.each([
    [{ methods: ["patch"] }],
    [{ blocks: ["if (ms ==="] }],
    [{ statements: ["warn(this)."] }],
    [{ lines: [/this\.\w+ = new Api\.\w+\(this\);/] }],
  ])("fails where nothing is like %j any more", (cut) => {
    expect(() => without(cut, client)).toThrow("any more");
  });

  test("fails where what it took is still called", () => {
    expect(() => without({ methods: ["post"] }, client)).toThrow("still called: post");
  });

  test("fails a build that loads none of the files", async () => {
    const made = build({
      stdin: { contents: "export {}" },
      write: false,
      logLevel: "silent",
      plugins: [onlyWhatIsCalled],
    });
    await expect(made).rejects.toThrow("Nothing loads openai/internal/parse.mjs any more.");
  });
});
