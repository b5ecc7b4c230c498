// `handrail doctor`, run from the npm package.
// @module-tag long
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startModelServer } from "../fakes/model-server.ts";
import { type Packed, packed, runPacked } from "../harness/packed.ts";

let it: Packed;
beforeAll(async () => {
  it = await packed();
});
afterAll(() => it?.remove());

describe("handrail doctor", () => {
  test("it asks the model for one token, and reports what would keep Handrail from starting", async () => {
    const model = await startModelServer([
      { text: "ok", finish: "length" },
      { status: 401, body: "no" },
    ]);
    onTestFinished(() => model.close());
    const env = { OPENAI_BASE_URL: model.url, HANDRAIL_MODEL: "scripted", OPENAI_API_KEY: "a-key" };
    const well = runPacked(it, [process.execPath, it.bin, "doctor", "--port", "0"], env);
    expect(await well.code).toBe(0);
    expect(well.logs()).toMatch(/^ok {4}model .*scripted: answered$/m);
    expect(well.logs()).toMatch(/^ok {4}git /m);
    expect(model.requests[0]?.body).toMatchObject({ model: "scripted", max_tokens: 1 });
    const refused = runPacked(it, [process.execPath, it.bin, "doctor", "--port", "0"], env);
    expect(await refused.code).toBe(1);
    expect(refused.logs()).toMatch(/^FAIL {2}model .*OPENAI_API_KEY.*\n +mend it: export OPENAI_API_KEY=…$/m);
    expect(refused.logs()).toMatch(/^1 to mend before a start/m);
  });

  test.each([
    ["no model", {}, "--model ID"],
    ["nobody answers", { HANDRAIL_MODEL: "m" }, "--base-url URL"],
    ["no tunnel program", { HANDRAIL_TUNNEL: "tailscale" }, "https://tailscale.com/install.sh | sh"],
  ])("%s: it names the one command that fixes it", async (_, set, command) => {
    const env = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1", PATH: "/usr/bin:/bin", ...set };
    const started = runPacked(it, [process.execPath, it.bin, "doctor", "--port", "0"], env);
    expect(await started.code).toBe(1);
    const mends = [...started.logs().matchAll(/^FAIL .*\n +mend it: (.*)$/gm)].map(([, mend]) => mend);
    expect(mends).toContainEqual(expect.stringContaining(command));
  });

  test("it names what is missing, with the command that installs it", async () => {
    const started = runPacked(it, [process.execPath, it.bin, "doctor", "--port", "0"], {
      PATH: join(it.folder, "no-programs"),
    });
    expect(await started.code).toBe(1);
    expect(started.logs()).toMatch(/^FAIL {2}git .*not found.*\n +mend it: .*git/m);
    expect(started.logs()).toMatch(/^warn {2}ripgrep .*not found.*\n +mend it: .*ripgrep/m);
  });
});
