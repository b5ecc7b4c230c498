// Decides what serves the model when nobody has: Ollama where it answers with a model, else the scripted demo.
import * as z from "zod/mini";

export interface ModelChoice {
  kind: "configured" | "ollama" | "demo";
  /** What the edge is told beside its own environment. */
  variables: Record<string, string>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Ollama's usual local port: https://docs.ollama.com/faq */
const ollamaUrl = "http://127.0.0.1:11434/v1";

const ModelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Never throws. Waits for Ollama at most `waitMs`. */
export async function chooseModel(env: Env, waitMs = 300): Promise<ModelChoice> {
  if (env.OPENAI_BASE_URL || env.OPENAI_API_KEY || env.HANDRAIL_PROVIDERS)
    return { kind: "configured", variables: {} };
  const models = await ollamaModels(waitMs);
  if (models.length === 0) return { kind: "demo", variables: {} };
  const wanted = env.HANDRAIL_MODEL || models.join(",");
  return { kind: "ollama", variables: { OPENAI_BASE_URL: ollamaUrl, HANDRAIL_MODEL: wanted } };
}

async function ollamaModels(waitMs: number): Promise<string[]> {
  try {
    const response = await fetch(`${ollamaUrl}/models`, { signal: AbortSignal.timeout(waitMs) });
    return ModelList.parse(await response.json()).data.map(({ id }) => id);
  } catch {
    return [];
  }
}
