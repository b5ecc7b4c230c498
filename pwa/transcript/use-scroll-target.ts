// Jumps in the transcript: finds the requested row, and loads earlier messages until it is found.
import { type ReadonlySignal, useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { approvalText } from "../../shared/session/approval-text.ts";
import { foundRow, type ScrollTarget, scrollTarget } from "../session/scroll-target.ts";
import { rowOfFound } from "./found-row.ts";
import type { Row } from "./rows.ts";

interface Reading {
  box: RefObject<HTMLElement | null>;
  toEnd(): void;
  toRow(index: number): void;
}

export function useScrollTarget(
  sessionId: string,
  rows: ReadonlySignal<readonly Row[]>,
  reading: Reading,
  showEarlier: (() => Promise<void>) | undefined,
): void {
  const now = useRef({ reading, showEarlier });
  now.current = { reading, showEarlier };
  useSignalEffect(() => {
    const wanted = scrollTarget.value;
    // A match in another session waits until that session is on the screen.
    if (wanted === null || (wanted.to === "found" && wanted.session !== sessionId)) return;
    scrollTarget.value = null;
    void seek(wanted);
  });
  useEffect(() => () => mark(null), []);

  const seek = async (wanted: ScrollTarget): Promise<void> => {
    mark(null);
    if (wanted.to === "newest") {
      now.current.reading.toEnd();
      return;
    }
    for (let known = -1; known !== rows.peek().length; ) {
      const at = rows.peek().findLastIndex((row) => isTarget(row, wanted));
      if (at >= 0) {
        now.current.reading.toRow(at);
        return;
      }
      if (wanted.to === "found") {
        const found = rowOfFound(rows.peek(), wanted, now.current.showEarlier !== undefined);
        if (found !== undefined) {
          now.current.reading.toRow(found.at);
          await show(found.key, wanted.words);
          return;
        }
      }
      known = rows.peek().length;
      await now.current.showEarlier?.();
    }
    if (wanted.to !== "found") return;
    // No row shows it, as with a question that waits for its answer. The nearest row of its turn is used.
    const at = rows.peek().findLastIndex((row) => row.key.startsWith(`${wanted.turnId}.`));
    if (at >= 0) now.current.reading.toRow(at);
  };

  const show = async (key: string, words: readonly string[]): Promise<void> => {
    mark(key);
    const { markWords } = await import("./mark-words.ts");
    requestAnimationFrame(() => markWords(now.current.reading.box.current, words));
  };
}

function mark(key: string | null): void {
  foundRow.value = key;
  if (key === null && "highlights" in CSS) CSS.highlights.delete("found");
}

function isTarget(row: Row, wanted: ScrollTarget): boolean {
  switch (wanted.to) {
    case "said":
      return row.kind === "user" && row.message.content !== approvalText;
    case "asked":
      return row.kind === "chose";
    case "plan":
      return row.kind === "plan" && row.newest;
    case "step":
      return row.kind === "station" && row.stepId === wanted.stepId;
    default:
      return false;
  }
}
