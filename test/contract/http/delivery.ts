import { describe, expect, test } from "vitest";
import { SandboxAnswer } from "../../../shared/api.ts";
import { GitState } from "../../../shared/delivery.ts";
import { ask, post } from "./request.ts";
import type { GetTarget } from "./target.ts";

export function describeDelivery(target: GetTarget): void {
  describe("work on its way out", () => {
    const made = async () => {
      const { json } = await ask(target(), "/api/sandboxes", post({ source: { sample: true } }));
      const path = `/api/sandboxes/${SandboxAnswer.parse(json).sandboxId}`;
      const { json: state } = await ask(target(), `${path}/git`);
      return { path, state: GitState.parse(state) };
    };

    test("the repository says where it is, and has nothing to commit or to push", async () => {
      const { state } = await made();
      expect(state).toMatchObject({ branch: "main", upstream: null, clean: true, remote: null });
    });

    test.each([
      [{ key: "1", message: "" }, "message: missing"],
      [{ key: "1", message: "x", paths: ["README.md"] }, "nothing to commit"],
      [{ key: "1", message: "x", branch: "--orphan" }, "branch"],
      [{ key: "a/b", message: "x" }, "body.key"],
      [{ key: "1", message: "x", path: "README.md" }, "path"],
    ])("a commit with %j is refused", async (body, words) => {
      const { path } = await made();
      const { status, json } = await ask(target(), `${path}/commit`, post(body));
      expect([status, json]).toMatchObject([400, { error: { message: expect.stringContaining(words) } }]);
    });

    test("without a remote nothing is pushed, and a method that is none is told so", async () => {
      const { path } = await made();
      for (const answer of [
        await ask(target(), `${path}/push?branch=main`),
        await ask(target(), `${path}/push`, post({ key: "1", branch: "main" })),
      ])
        expect([answer.status, answer.json]).toMatchObject([
          400,
          { error: { message: expect.stringContaining("no remote") } },
        ]);
      expect((await ask(target(), `${path}/commit`)).status).toBe(404);
    });
  });
}
