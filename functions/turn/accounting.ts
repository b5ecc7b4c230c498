// What an answer used: tokens as counted or estimated, their price, and what the count teaches for the next prompt.
import type { AssistantMessage, Usage } from "../../shared/message.ts";
import { observed } from "../context/calibration.ts";
import { estimateText } from "../context/estimate.ts";
import type { ModelSettings } from "../model/provider.ts";
import type { Asked } from "./ask-model.ts";

type Counted = Pick<Usage, "inputTokens" | "outputTokens" | "cachedTokens">;
type Account = Pick<AssistantMessage, "contextTokens" | "trimmed" | "usage" | "calibration">;

/** Fields of the message that answered `asked`. `counted`: the provider's report; absent where it gave none. */
export function accountOf(
  { estimatedTokens, trimmed, known, refused }: Asked,
  counted: Counted | undefined,
  written: string,
  price: ModelSettings["price"],
): Account {
  // A second try leaves what it was made by, so that the requests to come know what it left out.
  const calibration = counted && !refused ? observed(known, estimatedTokens, counted.inputTokens) : known;
  const contextTokens = Math.round(estimatedTokens * calibration.scale);
  const learned =
    calibration.scale !== 1 || calibration.window !== undefined || calibration.room !== undefined;
  const used: Usage | undefined =
    counted ??
    (price && {
      inputTokens: contextTokens,
      outputTokens: Math.round(estimateText(written) * calibration.scale),
      cachedTokens: 0,
      estimated: true,
    });
  return {
    contextTokens,
    ...(trimmed > 0 ? { trimmed } : {}),
    ...(used ? { usage: price ? { ...used, cost: costOf(used, price) } : used } : {}),
    ...(learned || known.scale !== 1 ? { calibration } : {}),
  };
}

/** US dollars, to a millionth. */
function costOf(
  used: Counted,
  { input, output, cached = input }: NonNullable<ModelSettings["price"]>,
): number {
  const fresh = Math.max(0, used.inputTokens - used.cachedTokens);
  // Prices are per million tokens, so this is in millionths of a dollar.
  return Math.round(fresh * input + used.cachedTokens * cached + used.outputTokens * output) / 1e6;
}
