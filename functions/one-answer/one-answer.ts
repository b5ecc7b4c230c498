// One answer of a model, outside any turn. Stores nothing.
import type { Deps } from "../deps.ts";
import { streamCompletion } from "../model/complete.ts";
import type { ModelSettings, Provider } from "../model/provider.ts";
import { omittedBy } from "../model/tool-support.ts";
import { costOf } from "../turn/answer-draft.ts";
import { chooseModel } from "../turn/check-request.ts";
import { redactorsOf } from "../turn/redactors.ts";

interface OneAnswer {
  provider: Provider;
  model: ModelSettings;
  /** The text without secrets. */
  text: string;
  /** US dollars; absent if the model's price is unknown. */
  cost?: number;
}

/** Asks the model `wanted`, or otherwise the default one. `apiKey`: the person's own. Throws the model's errors. */
export async function oneAnswer(
  deps: Deps,
  wanted: Parameters<typeof chooseModel>[1] | undefined,
  {
    system,
    user,
    ...options
  }: { system: string; user: string; apiKey: string | undefined; signal: AbortSignal; maxRetries?: number },
): Promise<OneAnswer> {
  const chosen = chooseModel(deps.providers, wanted ?? null);
  const { provider, model } = chosen;
  const { apiKey, ...rest } = options;
  const events = streamCompletion(deps, {
    ...{ provider, modelId: model.id, ...(apiKey && { apiKey }) },
    messages: [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
    ...{ tools: [], toolProtocol: "native", omit: omittedBy(deps.memory.toolSupport, chosen) },
    ...rest,
  });
  let text = "";
  const found: Pick<OneAnswer, "cost"> = {};
  for await (const event of events) {
    if (event.type === "usage" && model.price) found.cost = costOf(event, model.price);
    if (event.type === "end") text = redactorsOf(deps, apiKey).all.redact(event.text);
  }
  return { provider, model, text, ...found };
}
