// The lines that say where an answer was cut off and thrown away. Pure.
import type { CutAnswer, Entry } from "../../shared/session/session-state.ts";

export class CutNotes {
  #left: CutAnswer[];

  constructor(cuts: readonly CutAnswer[]) {
    this.#left = [...cuts];
  }

  /** What is to be said before `entry`, once each. */
  before({ turnId, id }: Entry): { key: string; text: string }[] {
    return this.#take((cut) => cut.turnId === turnId && cut.after < id);
  }

  /** What is to be said at the end, where the turn `turnId` is the last one. */
  atEnd(turnId: string | undefined): { key: string; text: string }[] {
    return this.#take((cut) => cut.turnId === turnId);
  }

  #take(due: (cut: CutAnswer) => boolean): { key: string; text: string }[] {
    if (this.#left.length === 0) return [];
    const taken = this.#left.filter(due);
    this.#left = this.#left.filter((cut) => !due(cut));
    return taken.map(({ turnId, after, again }, index) => ({
      key: `${turnId}.${after}.cut${index}`,
      text: `An answer that had begun here was cut off and thrown away.${again ? " The model was asked again." : ""}`,
    }));
  }
}
