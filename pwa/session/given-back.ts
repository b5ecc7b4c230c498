// What a person typed or tapped for a turn that the server refused: back where it was typed, in front of what came since.
import type { TurnInput } from "../../shared/turn.ts";
import type { Draft } from "../storage/draft.ts";

/** The change of `draft` that keeps what `input` said; nothing where it said nothing. */
export function givenBack(input: TurnInput, draft: Draft): Partial<Draft> {
  switch (input.type) {
    case "message":
      return {
        text: [input.text, draft.text].filter(Boolean).join("\n"),
        ...(input.attachments === undefined
          ? {}
          : { attachments: [...input.attachments, ...draft.attachments] }),
      };
    case "replan":
      return input.text ? { text: [input.text, draft.text].filter(Boolean).join("\n") } : {};
    case "reject":
      return { feedback: [input.feedback, draft.feedback].filter(Boolean).join("\n") };
    case "answers": {
      const raw = Object.fromEntries(input.answers.map((answer) => [answer.id, answer.raw]));
      return { answers: { toolCallId: input.toolCallId, index: 0, raw } };
    }
    default:
      return {};
  }
}
