// Jumps in the transcript: finds the row that is asked for, and loads what was said before until it is found.
import type { ReadonlySignal } from "@preact/signals";
import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type Goal, goal } from "../state/goal.ts";
import { approvalText } from "../state/intents.ts";
import type { Row } from "./rows.ts";

interface Reading {
  toEnd(): void;
  toRow(index: number): void;
}

export function useGoal(
  rows: ReadonlySignal<readonly Row[]>,
  reading: Reading,
  showEarlier: (() => Promise<void>) | undefined,
): void {
  const now = useRef({ reading, showEarlier });
  now.current = { reading, showEarlier };
  useSignalEffect(() => {
    const wanted = goal.value;
    if (wanted === null) return;
    goal.value = null;
    void seek(wanted);
  });

  const seek = async (wanted: Goal): Promise<void> => {
    if (wanted.to === "newest") {
      now.current.reading.toEnd();
      return;
    }
    for (let known = -1; known !== rows.peek().length; ) {
      const at = rows.peek().findLastIndex((row) => isGoal(row, wanted));
      if (at >= 0) {
        now.current.reading.toRow(at);
        return;
      }
      known = rows.peek().length;
      await now.current.showEarlier?.();
    }
  };
}

function isGoal(row: Row, wanted: Goal): boolean {
  switch (wanted.to) {
    case "said":
      return row.kind === "user" && row.message.content !== approvalText;
    case "asked":
      return row.kind === "chose";
    case "step":
      return row.kind === "station" && row.stepId === wanted.stepId;
    default:
      return false;
  }
}
