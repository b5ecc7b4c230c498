// The context window with which a self-hosted server has loaded a model. It may be smaller than the model's maximum,
// and such servers silently drop the beginning of longer prompts.
import type { Provider } from "./provider.ts";

interface Windows {
  fetch: typeof fetch;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  /** The last known windows, by provider and model. */
  known: Map<string, { at: number; tokens: number | undefined }>;
}

/** Between two turns, the model may be loaded again with another window. */
const keptMs = 60_000;

/**
 * `contextWindow`, or less if the server of `provider` has loaded `modelId` with a smaller one. `load`: loads the model
 * if necessary, as the turn would; without it, the last known window is used. Never throws.
 */
export async function usableWindow(
  asking: Windows,
  provider: Provider,
  { id: modelId, contextWindow }: { id: string; contextWindow: number },
  load = true,
): Promise<number> {
  // Only servers on the local network load less than the whole window; hosted ones charge by the token.
  if (provider.demo || !provider.baseUrl.startsWith("http:")) return contextWindow;
  const name = `${provider.id} ${modelId}`;
  const key = load ? name : `${name}, as it is`;
  const last = asking.known.get(key);
  if (last === undefined || asking.elapsed() - last.at >= keptMs) {
    const { loadedWindow } = await import("./ask-window.ts");
    const asked = await loadedWindow(asking.fetch, provider, modelId, load).catch(() => undefined);
    const told = load ? undefined : (last?.tokens ?? asking.known.get(name)?.tokens);
    asking.known.set(key, { at: asking.elapsed(), tokens: asked ?? told });
  }
  const tokens = asking.known.get(key)?.tokens;
  return Math.min(contextWindow, Math.max(1_000, tokens ?? contextWindow));
}
