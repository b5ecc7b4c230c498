// Decides which model is served if no setting says so: one of a server on this machine, or otherwise the scripted demo.

import * as z from "zod/mini";
import { localServers, presets } from "../../functions/model/presets.ts";
import type { Env } from "./env.ts";

export interface ModelChoice {
  kind: "configured" | "local" | "demo";
  /** Variables that the edge gets in addition to its environment. */
  variables: Record<string, string>;
}

const ModelList = z.object({
  data: z.array(z.object({ id: z.string(), owned_by: z.optional(z.string()) })),
});

/** The value of HANDRAIL_MODEL that selects the scripted demo even if a model on this machine answers. */
const demoModel = "demo";

/** Never throws. Waits for servers on this machine at most `waitMs`. */
export async function chooseModel(env: Env, waitMs = 300): Promise<ModelChoice> {
  const keys = presets.map(({ keyVariable }) => keyVariable);
  if (["OPENAI_BASE_URL", "HANDRAIL_PROVIDERS", ...keys].some((name) => env[name]))
    return { kind: "configured", variables: {} };
  if (env.HANDRAIL_MODEL === demoModel) return { kind: "demo", variables: {} };
  const found = await Promise.all(localServers.map((server) => modelsOf(server, waitMs)));
  const [first] = found.filter(({ models }) => models.length > 0);
  if (first === undefined) return { kind: "demo", variables: {} };
  const wanted = env.HANDRAIL_MODEL || first.models.join(",");
  return { kind: "local", variables: { OPENAI_BASE_URL: first.url, HANDRAIL_MODEL: wanted } };
}

async function modelsOf(
  { port, owner }: (typeof localServers)[number],
  waitMs: number,
): Promise<{ url: string; models: string[] }> {
  const url = `http://127.0.0.1:${port}/v1`;
  try {
    const response = await fetch(`${url}/models`, { signal: AbortSignal.timeout(waitMs) });
    const { data } = ModelList.parse(await response.json());
    const own = data.filter(({ owned_by }) => owner === undefined || owned_by === owner);
    return { url, models: own.map(({ id }) => id) };
  } catch {
    return { url, models: [] };
  }
}
