// Checks whether a provider accepts its configured key, before a person waits for an answer.
import { beginningOf } from "./body-reader.ts";
import { settingNames } from "./presets.ts";
import type { Provider } from "./provider.ts";
import { wireOf } from "./wires/wire.ts";

export interface KeyCheck {
  /** Milliseconds of the monotonic clock. */
  at: number;
  problem: Promise<string | undefined>;
}

interface KeyAsking {
  fetch: typeof fetch;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  memory: { keyChecks: Map<string, KeyCheck> };
}

/** A page waits for the result. */
const maxWaitMs = 2_500;
/** A working key is rarely withdrawn, but a refused one may have been replaced a moment ago. */
const keptMs = 10 * 60_000;
const problemKeptMs = 15_000;

/**
 * What is wrong with the key of `provider` or with its address; undefined if no problem is known. Asks at most every
 * ten minutes, or every 15 seconds while there is a problem. Never throws.
 */
export async function keyProblem(deps: KeyAsking, provider: Provider): Promise<string | undefined> {
  if (provider.demo) return undefined;
  const { keyChecks } = deps.memory;
  const known = keyChecks.get(provider.id);
  if (known) {
    const problem = await known.problem;
    if (deps.elapsed() - known.at < (problem === undefined ? keptMs : problemKeptMs)) return problem;
  }
  const check = { at: deps.elapsed(), problem: ask(deps.fetch, provider) };
  keyChecks.set(provider.id, check);
  return check.problem;
}

async function ask(fetch: KeyAsking["fetch"], provider: Provider): Promise<string | undefined> {
  const { label, baseUrl, apiKey, traits } = provider;
  const { key, url } = settingNames(provider);
  let response: Response;
  try {
    response = await fetch(`${baseUrl}${traits?.keyCheck ?? "/models"}`, {
      headers: apiKey ? wireOf(provider, provider.models[0]?.id).keyHeaders(apiKey) : {},
      signal: AbortSignal.timeout(maxWaitMs),
    });
  } catch (error) {
    // A slow provider may still answer.
    if (error instanceof Error && error.name === "TimeoutError") return undefined;
    return `${label} could not be reached. Check ${url}, and that the server there is running.`;
  }
  const said = response.ok ? "" : await beginningOf(response, 2_000).catch(() => "");
  await response.body?.cancel().catch(() => undefined);
  // xAI and Google respond with 400 to a wrong key.
  const isRefused = response.status === 401 || (response.status === 400 && /api[_ ]?key/i.test(said));
  if (!isRefused) return undefined;
  return apiKey
    ? `${label} does not accept the key in ${key} (${response.status}). Change it on the server.`
    : `${label} asks for an API key (${response.status}). Set ${key} on the server.`;
}
