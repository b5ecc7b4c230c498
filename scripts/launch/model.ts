// Decides what serves the model when nobody has: Ollama where it answers, else the scripted demo.

export type ModelChoice = "configured" | "ollama" | "demo";

/** Ollama's usual local port. */
export const ollamaUrl = "http://127.0.0.1:11434";

/** Never throws. Waits for Ollama at most `waitMs`. */
export async function chooseModel(
  env: Readonly<Record<string, string | undefined>>,
  waitMs = 300,
): Promise<ModelChoice> {
  if (env.OPENAI_BASE_URL || env.OPENAI_API_KEY) return "configured";
  return (await answers(`${ollamaUrl}/api/version`, waitMs)) ? "ollama" : "demo";
}

async function answers(url: string, waitMs: number): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(waitMs) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
