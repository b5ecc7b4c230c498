// A history in an older form, from a fixture: its proposals show their text, or version and path.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { cardWords } from "../../../pwa/transcript/call-words.ts";
import { olderProposal } from "../../../pwa/transcript/proposals.ts";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import type { TurnEvent } from "../../../shared/event.ts";
import { Message } from "../../../shared/message.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { numbered, started } from "../session/events.ts";

const file = new URL("../../fixtures/propose-plan.json", import.meta.url);
const messages = z.parse(z.array(Message), JSON.parse(readFileSync(file, "utf8")));

const views = () => {
  const events: TurnEvent[] = numbered([
    started("t1"),
    ...messages.map((message) => ({ event: "message" as const, data: { message } })),
  ]);
  const { entries, head } = events.reduce(reduce, emptySession());
  return transcriptRows(entries, head.plan).flatMap((row) => (row.kind === "call" ? [row.view] : []));
};

test("a proposal with the plan's text shows that text", () => {
  const [older] = views();
  expect(older && olderProposal(older)?.planContent).toContain("2. Answer 429 above the limit");
  expect(older && cardWords(older)).toMatchObject({
    verb: "Proposed a plan",
    object: "~/.mux/plans/shop.md",
  });
});

test("a proposal without it shows version and path", () => {
  const [, newer] = views();
  expect(newer && olderProposal(newer)?.planContent).toBeUndefined();
  expect(newer && cardWords(newer)).toMatchObject({ object: "~/.mux/plans/shop.md", figures: "version 2" });
});

test("a result that is not such JSON is a call like any other", () => {
  const [older] = views();
  if (older?.result === undefined) throw new Error("the fixture has no result");
  for (const content of ["not JSON", "[]", '{"success":false}'])
    expect(olderProposal({ ...older, result: { ...older.result, content } })).toBeUndefined();
});
