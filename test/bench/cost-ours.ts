// Sends the session as Handrail does: with the engine's own prompt, tools, trimming and calibration, but
// without the network.
import { fitPrompt } from "../../functions/compaction/fit-prompt.ts";
import { calibrationIn, observed, roomOf } from "../../functions/context/calibration.ts";
import { estimateMessage, estimateTools } from "../../functions/context/estimate.ts";
import { systemPrompt } from "../../functions/context/system-prompt.ts";
import { toWire, toWireTools, type WireOptions } from "../../functions/model/wires/chat-messages.ts";
import { offeredTools, shownTools } from "../../functions/tools/offered-tools.ts";
import { toolDefinitions } from "../../functions/tools/tool-index.ts";
import type { AssistantMessage, Message } from "../../shared/message.ts";
import { HistoryBuilder } from "../unit/context/history-builder.ts";
import { type Account, CostProvider, tokensOf } from "./cost-provider.ts";
import type { Round } from "./cost-session.ts";

const model = "bench/model";
const wireOptions: WireOptions = {
  ...{ images: true, callId: /./, bridges: false, reasoning: "own", signatures: false },
};
/** The person sends a message after every 15 rounds. */
export const roundsPerMessage = 15;
/** The plan is approved before this round. */
const planningRounds = 12;

/** `lowWater`: the share of the room that trimming leaves filled. */
export function runOurs(
  rounds: readonly Round[],
  windowTokens: number,
  lowWater: number,
): { account: Account; planWhole: boolean } {
  const provider = new CostProvider(windowTokens);
  const builder = new HistoryBuilder().switchTo("plan", { instruction: undefined });
  let planWhole = true;
  rounds.forEach((round, index) => {
    if (index === planningRounds - 2) builder.setPlan();
    if (index === planningRounds) builder.switchTo("normal");
    if (index % roundsPerMessage === 0 || index === planningRounds) builder.user(`Go on with part ${index}.`);
    const { fitted, sent } = request(builder, windowTokens, lowWater);
    if (builder.planMark && !sent.some((text) => text.includes(builder.planMark ?? ""))) planWhole = false;
    const written = `${round.said}${JSON.stringify(round.args)}`;
    const counted = provider.ask(sent, tokensOf(written));
    builder.calls([{ name: round.name, args: round.args, result: round.result }], () => [], round.said);
    learn(builder.messages, fitted, counted);
  });
  return { account: provider.account, planWhole };
}

function request(builder: HistoryBuilder, windowTokens: number, lowWater: number) {
  const { messages, mode } = builder;
  const planning = mode === "plan";
  const known = calibrationIn(messages, model);
  const tools = toolDefinitions(shownTools(offeredTools(mode), true, messages));
  const most = estimateTools(toolDefinitions(offeredTools("normal")));
  const system = systemPrompt({ planning });
  const fitted = fitPrompt(messages, system, {
    now: known,
    before: { model, scale: 1 },
    tokens: (calibration) => Math.max(0, roomOf(calibration, windowTokens) - most),
    systemTokens: estimateMessage({ role: "system", content: systemPrompt({ planning: true }) }),
    lowWater,
  });
  const wire = toWire(fitted.prompt, wireOptions);
  const sent = [JSON.stringify(toWireTools(tools)), ...wire.map((message) => JSON.stringify(message))];
  return { fitted: fitted.tokens + estimateTools(tools), sent };
}

/** Records the calibration with the answer, as the engine does. */
function learn(messages: readonly Message[], estimatedTokens: number, counted: number | undefined): void {
  const answer = messages.findLast((message): message is AssistantMessage => message.role === "assistant");
  if (!answer || counted === undefined) return;
  answer.calibration = observed(calibrationIn(messages, model), estimatedTokens, counted);
}
