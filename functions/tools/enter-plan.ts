// `enter_plan`: the tools that plans are made with are offered only once they can be used; this one asks for them.
import * as z from "zod/mini";
import { settled } from "../calls/prepared.ts";
import { engineTool } from "./tool.ts";

export const enterPlan = engineTool({
  name: "enter_plan",
  description: "Get the plan tools, for work of several steps.",
  schema: z.object({}),
  modes: ["normal", "auto"],
  noMeta: true,
  prepare: () =>
    settled("From your next answer on there is set_plan, with which a plan begins.", { noMeta: true }),
  trimming: { kept: true },
});
