import { describe, expect, test } from "vitest";
import { ask, post } from "../http/request.ts";
import type { ResumeStage } from "./stage.ts";

/** A plan is saved into the repository by a separate request, whose answer may be lost. */
export function describePlanFiles(stage: ResumeStage): void {
  describe("a plan that is saved as a file", () => {
    test("is saved once, although its edge dies and the request is repeated; another text does not replace it", async () => {
      const talk = await stage.openSandbox();
      const { sandboxId } = talk;
      const path = "plans/2026-11-26-jitter.md";
      const save = (target: typeof doomed, text: string) =>
        ask(target, `/api/sandboxes/${sandboxId}/plan-file`, post({ path, text }));
      const doomed = await stage.another();
      const first = await save(doomed, "# Goal\n\nJitter\n");
      await doomed.kill("SIGKILL");
      const again = await save(stage.product(), "# Goal\n\nJitter\n");
      expect([again.status, again.json]).toEqual([201, first.json]);
      expect((await save(stage.other(), "# Goal\n\nOther\n")).status).toBe(412);
      expect(await stage.file(talk, path)).toBe("# Goal\n\nJitter\n");
    });
  });
}
