// A scripted model's calls and replies about plans, shared by the tests of turns.

import type { TurnEvent } from "../../../shared/event.ts";
import type { ModelReply, ScriptedCall } from "../../fakes/model-reply.ts";
import type { RequestBody } from "../../fakes/model-server.ts";
import type { Conversation } from "../../harness/conversation.ts";
import type { Stage } from "./stage.ts";

export const setPlan = (
  goal = "Write a note",
  steps: unknown[] = [
    { id: "s1", description: "Write note.txt", checkpoint: { command: "test -f note.txt" } },
  ],
  more: Record<string, unknown> = {},
): ScriptedCall => ({ name: "set_plan", args: { goal, steps, ...more } });

export const exitPlan: ScriptedCall = { name: "exit_plan", args: {} };

/** A plan that is set and submitted. */
export const planned: ModelReply[] = [{ calls: [setPlan()] }, { calls: [exitPlan] }];

export const step = (id: string, status: string, note?: string): ScriptedCall => ({
  name: "update_plan",
  args: { steps: [{ id, status, ...(note === undefined ? {} : { note }) }] },
});

export const write = (path: string, content = "x\n"): ScriptedCall => ({
  name: "write_file",
  args: { path, content, base: null },
});

/** Questions: about a colour, with two options, and about a name. */
export const askColour = (id: string, more: Record<string, unknown> = {}): ScriptedCall => ({
  id,
  name: "ask_user",
  args: {
    questions: [
      {
        id: "color",
        label: "Colour",
        prompt: "Which colour?",
        type: "single_select",
        options: [{ label: "Red" }, { label: "Blue" }, { label: "Other" }],
      },
      { id: "name", label: "Name", prompt: "Which name?", type: "free_text" },
    ],
    ...more,
  },
});

export const answersTo = (color: string, name = "42") => [
  { id: "color", raw: color },
  { id: "name", raw: name },
];

/** A conversation whose plan has been approved. `script` plays the execution. */
export async function executing(
  stage: Stage,
  plan: ScriptedCall,
  script: ModelReply[],
  mode: "normal" | "auto" = "normal",
): Promise<{ talk: Conversation; events: TurnEvent[] }> {
  const talk = await stage.open([{ calls: [plan, exitPlan] }], "plan");
  await talk.say("Plan");
  stage.model().play(script);
  return { talk, events: await talk.approve(mode) };
}

/** Names of the tools that a request offers. */
export const offered = (body: RequestBody | undefined) =>
  (body?.tools ?? []).map((tool) => tool.function.name);

/**
 * The model's prompt when a run began with one text, which one reminder followed; without the notice that the
 * first step is active.
 */
export const firstOfRun = (stage: Stage) => (stage.model().requests.at(-2)?.body.messages ?? []).slice(0, -1);

/** The messages of the last request as text. */
export const lastWire = (stage: Stage) => JSON.stringify(stage.model().requests.at(-1)?.body.messages);

export const countOf = (text: string, part: string) => text.split(part).length - 1;

/** Data of the verifier reports of a conversation, in order. */
export const reportsOf = ({ messages }: Conversation) =>
  messages.flatMap((message) =>
    message.role === "event" && message.extra.event.subkind === "verifier_report"
      ? [message.extra.event.data]
      : [],
  );

/** The texts of the notices from one source, in order. */
export const noticesOf = ({ messages }: Conversation, source: string) =>
  messages.flatMap((message) =>
    message.role === "event" && message.extra.event.source === source ? [message.content] : [],
  );

/** Steps and statuses of a plan, such as `s1 done`. */
export const statusesOf = ({ plan }: Conversation) => plan?.steps.map(({ id, status }) => `${id} ${status}`);
