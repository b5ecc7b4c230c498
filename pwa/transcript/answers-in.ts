// Finds the questions and answers to show where the answers were given, and adds those that only the ledger has. Pure.
import type { ToolMessage } from "../../shared/message.ts";
import type { Decision, Question } from "../../shared/plan/question.ts";
import type { Chosen } from "./rows.ts";

interface ChosenNow {
  decisions: Chosen[];
  updates: string[];
}

/** Gets the events of a session in their order. */
export class Answers {
  readonly #questions = new Map<string, readonly Question[]>();
  /** Decisions that were shown but are in no ledger yet. */
  readonly #shown = new Set<string>();

  asked({ toolCallId, questions }: { toolCallId: string; questions: readonly Question[] }): void {
    this.#questions.set(toolCallId, questions);
  }

  /** The person's choices in the result of a call; empty if the call asked no questions. */
  given({ toolCallId, ok, content }: ToolMessage): ChosenNow {
    const questions = this.#questions.get(toolCallId);
    const decisions = ok && questions !== undefined ? answersIn(content, questions) : [];
    for (const decision of decisions) this.#shown.add(nameOf(decision));
    return { decisions, updates: [] };
  }

  /** Decisions in the ledger that were not shown before. */
  untold({ decisions, updates }: { decisions: Decision[]; updates: string[] }): ChosenNow {
    return {
      decisions: decisions
        .filter((decision) => !this.#shown.delete(nameOf(decision)))
        .map((decision) => ({ ...decision, prompt: this.#promptOf(decision) })),
      updates: updates.filter((update) => update !== "No plan changes"),
    };
  }

  /** The text of the newest question with this id and label; undefined if it is not among the loaded entries. */
  #promptOf({ id, label }: Decision): string | undefined {
    const asked = [...this.#questions.values()].flat();
    return asked.findLast((question) => question.id === id && question.label === label)?.prompt;
  }
}

function nameOf({ id, answer }: Decision): string {
  return JSON.stringify([id, answer.trim()]);
}

/** `content` has a `Label: answer` for each question in turn; an answer may have several lines. */
export function answersIn(content: string, questions: readonly Question[]): Chosen[] {
  const text = `\n${content.replace(/\n?\[meta\][^\n]*$/, "")}`;
  const begins = questions.map(({ label }) => text.indexOf(`\n${label}: `));
  return questions.flatMap(({ id, label, prompt }, index) => {
    const at = begins[index] ?? -1;
    if (at < 0) return [];
    const next = begins.slice(index + 1).find((begin) => begin > at);
    return [{ id, label, prompt, answer: text.slice(at + label.length + 3, next).trim() }];
  });
}
