// POST /api/draft and /api/second-opinion (PROTOCOL 3.2): one request to the model, outside any turn.
import { Hono } from "hono/tiny";
import { ModelDraftRequest } from "../../shared/model-draft.ts";
import type { Deps } from "../deps.ts";
import { readJson } from "./read-json.ts";
import { modelKeyHeader } from "./turn.ts";

export function draftRoutes(deps: Deps): Hono {
  return new Hono()
    .post("/draft", async (c) => {
      const asked = await readJson(c, ModelDraftRequest);
      const { writeDraft } = await import("../one-answer/write-draft.ts");
      return c.json(await writeDraft(deps, asked, c.req.header(modelKeyHeader), c.req.raw.signal));
    })
    .post("/second-opinion", async (c) => {
      const { answerSecondOpinion } = await import("../one-answer/second-opinion.ts");
      return answerSecondOpinion(deps, c, c.req.header(modelKeyHeader));
    });
}
