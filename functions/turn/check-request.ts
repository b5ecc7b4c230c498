// Refuses a posted turn before anything is claimed, for its history (PROTOCOL 2), its options or its model.
import { HandrailError, invalidField } from "../../shared/errors.ts";
import type { ToolProtocol } from "../../shared/event.ts";
import type { Message } from "../../shared/message.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { byteLength } from "../calls/result-text.ts";
import type { Deps } from "../deps.ts";
import * as limits from "../limits.ts";
import { fallbacksIn } from "../model/fallback.ts";
import { usableWindow } from "../model/loaded-window.ts";
import type { ModelSettings, Provider, Refused } from "../model/provider.ts";
import { findToolProtocol, omittedBy } from "../model/tool-support.ts";
import { readImages } from "../model/wires/user-text.ts";
import { readOnlyChoices } from "../tools/offered-tools.ts";
import type { ChosenModel } from "./env.ts";

/** Throws `invalid_request` naming the message that does not fit. */
export function checkHistory(messages: readonly Message[]): void {
  const ids = new Set<string>();
  const calls = new Set<string>();
  let open: { id: string }[] = [];
  messages.forEach((message, index) => {
    const at = `messages[${index}]`;
    if (ids.has(message.id))
      throw invalidField(
        `${at}.id`,
        `the id ${JSON.stringify(message.id)} appears twice; send each message once`,
      );
    ids.add(message.id);
    if (message.role === "system" && index > 0)
      throw invalidField(`${at}.role`, "a system message can only be the first");
    if (message.role === "tool") {
      if (byteLength(message.content) > limits.maxToolContentBytes) {
        throw invalidField(`${at}.content`, "a tool message holds at most 16 KB; send it as it came");
      }
      const [expected, ...rest] = open;
      if (!expected)
        throw invalidField(at, "a tool result without a call before it; send the history as it came");
      if (message.toolCallId !== expected.id) {
        throw invalidField(
          `${at}.toolCallId`,
          `the next result has to be that of call ${JSON.stringify(expected.id)}; send results in call order`,
        );
      }
      open = rest;
    }
    if (message.role === "user" || message.role === "assistant") {
      if (open[0])
        throw invalidField(
          at,
          `call ${JSON.stringify(open[0].id)} has no result before it; send the whole history as it came`,
        );
    }
    for (const call of message.role === "assistant" ? (message.toolCalls ?? []) : []) {
      if (calls.has(call.id))
        throw invalidField(
          `${at}.toolCalls`,
          `the call id ${JSON.stringify(call.id)} appears twice; ids are unique in a session`,
        );
      calls.add(call.id);
    }
    if (message.role === "assistant") open = (message.toolCalls ?? []).map(({ id }) => ({ id }));
  });
}

/** The model that the request names; null = the server's default. */
export function chooseModel(
  providers: readonly Provider[],
  wanted: TurnRequest["model"],
  field = "model",
): ChosenModel {
  const provider = wanted ? providers.find((other) => other.id === wanted.provider) : providers[0];
  if (!provider) {
    throw wanted
      ? unknownModel(`${field}.provider`, wanted.provider)
      : new HandrailError(
          "invalid_request",
          "No model provider is configured. Set OPENAI_BASE_URL, OPENAI_API_KEY and HANDRAIL_MODEL on the server.",
        );
  }
  const model = wanted ? provider.models.find((other) => other.id === wanted.id) : provider.models[0];
  if (!model) throw unknownModel(`${field}.id`, wanted?.id ?? "");
  return { provider, model };
}

/** The model with the effort that the request asks for. */
export function withEffort(chosen: ChosenModel, effort: string | undefined): ChosenModel {
  if (effort === undefined) return chosen;
  const model = { ...chosen.model, reasoningEffort: effort };
  const models = chosen.provider.models.map((one) => (one.id === model.id ? model : one));
  return { provider: { ...chosen.provider, models }, model };
}

function unknownModel(field: string, name: string): HandrailError {
  return new HandrailError(
    "invalid_request",
    `${field}: ${JSON.stringify(name)} is not configured on this server; take one from GET /api/config.`,
    {
      details: { field },
    },
  );
}

/** What the model does not accept, as this process or the conversation has learned. */
export function omitted({ memory }: Deps, request: TurnRequest, chosen: ChosenModel): Set<Refused> {
  const { provider, model } = chosen;
  const omit = omittedBy(memory.toolSupport, chosen);
  if (fallbacksIn(request.messages, { provider: provider.id, model: model.id }).has("images"))
    omit.add("images");
  return omit;
}

/** Throws `invalid_request` for images that this model cannot be shown. */
export function checkAttachments({ input }: TurnRequest, model: ModelSettings): void {
  const attachments = input.type === "message" ? (input.attachments ?? []) : [];
  attachments.forEach(({ kind, name, mediaType }, index) => {
    if (kind !== "image") return;
    const field = `input.attachments.${index}`;
    const problem =
      model.images === false
        ? `${model.id} takes no images; send it without, or choose another model.`
        : readImages.test(mediaType)
          ? undefined
          : `${mediaType} is not a format that models read; send PNG, JPEG, WebP or GIF.`;
    if (problem)
      throw new HandrailError("invalid_request", `${field}: ${JSON.stringify(name)}: ${problem}`, {
        details: { field },
      });
  });
}

/** `chosen` with the context window that its server actually loaded it with. */
export async function withLoadedWindow(
  { fetch, elapsed, memory }: Deps,
  { provider, model }: ChosenModel,
): Promise<ChosenModel> {
  const asking = { fetch, elapsed, known: memory.toolSupport.windows };
  return { provider, model: { ...model, contextWindow: await usableWindow(asking, provider, model) } };
}

/**
 * The form of tool calls that the history or the client asks for; otherwise what is known of the model or declared for
 * it.
 */
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

/** Throws `invalid_request` if `readOnlyTools` names anything but a reading tool. */
export function checkOptions(request: TurnRequest): void {
  const wrong = request.options.readOnlyTools?.find((name) => !readOnlyChoices.includes(name));
  if (wrong === undefined) return;
  throw invalidField(
    "options.readOnlyTools",
    `${JSON.stringify(wrong)} is not one of them; name some of ${readOnlyChoices.join(", ")}`,
  );
}
