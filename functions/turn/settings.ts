// Which model a turn uses, and what its options may say. Refused before anything is claimed.
import { HandrailError } from "../../shared/errors.ts";
import type { ToolProtocol } from "../../shared/event.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import type { Refused } from "../model/failure.ts";
import { fallbacksIn } from "../model/fallback.ts";
import type { ModelSettings, Provider } from "../model/provider.ts";
import { findToolProtocol, omittedBy } from "../model/tool-support.ts";
import { readOnlyChoices } from "../tools/tool-index.ts";

export interface ChosenModel {
  provider: Provider;
  model: ModelSettings;
}

/** The model that the request names; null = the server's default. */
export function chooseModel(providers: readonly Provider[], wanted: TurnRequest["model"]): ChosenModel {
  const provider = wanted ? providers.find((other) => other.id === wanted.provider) : providers[0];
  if (!provider) {
    throw wanted
      ? unknown("model.provider", wanted.provider)
      : new HandrailError(
          "invalid_request",
          "No model provider is configured. Set OPENAI_BASE_URL, OPENAI_API_KEY and HANDRAIL_MODEL on the server.",
        );
  }
  const model = wanted ? provider.models.find((other) => other.id === wanted.id) : provider.models[0];
  if (!model) throw unknown("model.id", wanted?.id ?? "");
  return { provider, model };
}

function unknown(field: string, name: string): HandrailError {
  return new HandrailError(
    "invalid_request",
    `${field}: ${JSON.stringify(name)} is not configured on this server; take one from GET /api/config.`,
    {
      details: { field },
    },
  );
}

/** What this process, or this conversation, knows that the model does not take. */
export function omitted({ memory }: Deps, request: TurnRequest, chosen: ChosenModel): Set<Refused> {
  const { provider, model } = chosen;
  const omit = omittedBy(memory.toolSupport, chosen);
  if (fallbacksIn(request.messages, { provider: provider.id, model: model.id }).has("images"))
    omit.add("images");
  return omit;
}

/** The formats that models read; what a phone's camera makes else, it can convert. */
const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Throws `invalid_request` for images that this model cannot be shown. */
export function checkAttachments({ input }: TurnRequest, model: ModelSettings): void {
  const attachments = input.type === "message" ? (input.attachments ?? []) : [];
  attachments.forEach(({ kind, name, mediaType }, index) => {
    if (kind !== "image") return;
    const field = `input.attachments.${index}`;
    const problem =
      model.images === false
        ? `${model.id} takes no images; send it without, or choose another model.`
        : imageTypes.includes(mediaType)
          ? undefined
          : `${mediaType} is no format that models read; send PNG, JPEG, WebP or GIF.`;
    if (problem)
      throw new HandrailError("invalid_request", `${field}: ${JSON.stringify(name)}: ${problem}`, {
        details: { field },
      });
  });
}

/** What the client remembers or demands, else what is known or declared of the model. */
export async function chooseProtocol(
  { fetch, memory }: Deps,
  request: TurnRequest,
  { provider, model }: ChosenModel,
  apiKey?: string,
): Promise<ToolProtocol> {
  const refused = fallbacksIn(request.messages, { provider: provider.id, model: model.id });
  const wanted = refused.has("tools") ? "text" : (request.options.toolProtocol ?? "auto");
  const asked = { provider, model, conversationId: request.sandboxId };
  return findToolProtocol({ fetch, apiKey, support: memory.toolSupport }, asked, wanted);
}

/** Throws `invalid_request` where `readOnlyTools` names something else than a reading tool. */
export function checkOptions(request: TurnRequest): void {
  const wrong = request.options.readOnlyTools?.find((name) => !readOnlyChoices.includes(name));
  if (wrong === undefined) return;
  throw new HandrailError(
    "invalid_request",
    `options.readOnlyTools: ${JSON.stringify(wrong)} cannot stand there; name some of ${readOnlyChoices.join(", ")}.`,
    { details: { field: "options.readOnlyTools" } },
  );
}
