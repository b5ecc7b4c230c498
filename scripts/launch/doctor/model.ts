// Asks the model for one token, in the wire format that a turn would use.

import { streamCompletion } from "../../../functions/model/complete.ts";
import { presets } from "../../../functions/model/presets.ts";
import type { ModelSettings, Provider } from "../../../functions/model/provider.ts";
import { readProviders } from "../../../functions/model/read-providers.ts";
import { wireOf } from "../../../functions/model/wires/wire.ts";
import { HandrailError } from "../../../shared/errors.ts";
import type { Env } from "../env.ts";
import { chooseModel } from "../model.ts";
import type { DoctorFinding } from "./finding.ts";

const maxWaitMs = 60_000;

/** Costs a fraction of a cent if the model has a price. `command`: the command that a person types. Never throws. */
export async function checkModel(env: Env, command: string): Promise<DoctorFinding> {
  const what = "model";
  const { kind, variables } = await chooseModel(env);
  if (kind === "demo") {
    const text = "none; a scripted demo plays it";
    return { state: "warn", what, text, mend: "export OPENAI_API_KEY=sk-…" };
  }
  let provider: Provider | undefined;
  try {
    [provider] = readProviders({ ...env, ...variables });
  } catch (error) {
    const text = wordsOf(error);
    return { state: "fail", what, text, ...mending(text, "", command) };
  }
  const model = provider?.models[0];
  if (provider === undefined || model === undefined)
    return { state: "fail", what, text: "none is configured" };
  const name = `${provider.label}, ${model.id}`;
  const problem = await askOneToken(provider, model);
  return problem === undefined
    ? { state: "ok", what, text: `${name}: answered` }
    : {
        state: "fail",
        what,
        text: `${name}: ${problem}`,
        ...mending(problem, provider.baseUrl, command),
      };
}

/** The command for the setting that the message names; none if it names none. */
function mending(words: string, url: string, command: string): { mend?: string } {
  const named = presets.map(({ keyVariable }) => keyVariable).find((name) => words.includes(name));
  const key = named ?? (words.includes("OPENAI_API_KEY") ? "OPENAI_API_KEY" : undefined);
  if (key !== undefined) return { mend: `export ${key}=…` };
  if (words.includes("HANDRAIL_MODEL")) return { mend: `${command} --model ID` };
  if (!words.includes("OPENAI_BASE_URL")) return {};
  return { mend: /:11434\b/.test(url) ? "ollama serve" : `${command} --base-url URL` };
}

/** undefined = the model answered. */
async function askOneToken(provider: Provider, model: ModelSettings): Promise<string | undefined> {
  // OpenAI's Responses API does not accept a limit below 16. https://platform.openai.com/docs/api-reference/responses
  // (read 2026-11)
  const maxOutput = wireOf(provider, model.id).path(provider.baseUrl) === "/responses" ? 16 : 1;
  const asked: Provider = { ...provider, models: [{ ...model, maxOutput }] };
  let accepted = false;
  const deps = {
    fetch: async (...args: Parameters<typeof fetch>) => {
      const response = await fetch(...args);
      accepted ||= response.ok;
      return response;
    },
    now: () => Date.now(),
    elapsed: () => performance.now(),
  };
  try {
    const events = streamCompletion(deps, {
      provider: asked,
      modelId: model.id,
      messages: [{ role: "user", content: "Say ok." }],
      tools: [],
      toolProtocol: "native",
      signal: AbortSignal.timeout(maxWaitMs),
      maxRetries: 0,
    });
    let ended = false;
    for await (const { type } of events) ended ||= type === "end";
    return ended ? undefined : `no answer within ${maxWaitMs / 1_000} seconds`;
  } catch (error) {
    // With one token, the whole answer may be reasoning, so an empty answer counts as success.
    if (accepted && error instanceof HandrailError && /ended|empty|nothing/.test(error.message))
      return undefined;
    return wordsOf(error);
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
