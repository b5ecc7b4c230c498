import { describe, expect, test } from "vitest";
import { dataOf } from "../../harness/conversation.ts";
import type { Product } from "../../harness/product.ts";
import { ask, post } from "../http/request.ts";
import type { ResumeStage } from "./stage.ts";

/** A review that was paid for is stored with its session, and not in the process that asked for it. */
export function describeSecondOpinions(stage: ResumeStage): void {
  describe("a second opinion", () => {
    const plan = { plan: "# Goal\n\nJitter", steps: [{ id: "s1", description: "Change it" }], key: "one" };
    const review = async (target: Product, body: object) =>
      (await ask(target, "/api/second-opinion", post(body))).json;
    const written = { text: '{"points": [{"step": 1, "text": "No test."}]}' };
    const points = { points: [{ stepId: "s1", text: "No test." }] };

    test("is returned by every process that is asked again, also after the first one was killed, and paid for once", async () => {
      const talk = await stage.open([written]);
      const { sandboxId } = talk;
      const before = stage.model().requests.length;
      const doomed = await stage.another();
      const first = await review(doomed, { ...plan, sandboxId });
      expect(first).toMatchObject(points);
      await doomed.kill("SIGKILL");
      expect(first).not.toHaveProperty("kept");
      for (const target of [stage.product(), stage.other()])
        expect(await review(target, { ...plan, sandboxId })).toEqual({ ...Object(first), kept: true });
      expect(stage.model().requests.length).toBe(before + 1);
    });

    test("is about one plan, and no part of the session's history", async () => {
      const talk = await stage.open([written, { text: '{"points": []}' }, { text: "Hello." }]);
      const { sandboxId } = talk;
      await review(stage.product(), { ...plan, sandboxId });
      expect(await review(stage.other(), { ...plan, plan: "# Goal\n\nOther", sandboxId })).toMatchObject({
        points: [],
      });
      const { json } = await ask(stage.other(), `/api/sandboxes/${sandboxId}/history`);
      expect(json).toMatchObject({ after: null, missing: [], sessions: [{ entries: [] }] });
      expect(dataOf(await talk.say("Hello"), "turn.done").reason).toBe("stop");
    });
  });
}
