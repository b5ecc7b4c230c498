// Random acts of a person or program, whether allowed or not. Part of the property tests of turns.
import fc from "fast-check";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { turnScript } from "./random-model.ts";

export type Act = { script: ModelReply[]; edit: boolean; twice: boolean } & (
  | { do: "whatever is open"; choices: { answer: Doing; decide: Doing; permit: Doing; plain: Doing } }
  | Doing
);

/** One of PROTOCOL's inputs, or a tap on the mode button. */
export type Doing =
  | { do: "say" | "replan" | "reset" | "continue" | "stop first" }
  | { do: "approve"; mode: "normal" | "auto"; hold: boolean; stale: boolean }
  | { do: "reject"; stale: boolean }
  | { do: "answer"; raw: string; run: boolean; stale: boolean }
  | { do: "permit"; decision: "once" | "session" | "deny" | "again" | "done" }
  | { do: "rewind"; stepId: string }
  | { do: "pill"; mode: "normal" | "plan" | "auto" };

const often = (weight: number, value: boolean) =>
  fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: fc.constant(!value) });
const stale = often(6, false);
const pill = fc.record({
  do: fc.constant("pill" as const),
  mode: fc.constantFrom("normal" as const, "plan" as const, "auto" as const),
});

const runMode = fc.constantFrom("normal" as const, "auto" as const);
const decision = fc.constantFrom(
  "once" as const,
  "session" as const,
  "deny" as const,
  "again" as const,
  "done" as const,
);
const answer = fc.record({
  do: fc.constant("answer" as const),
  raw: fc.constantFrom("1", "2", "my own words", "9", "1,2"),
  run: fc.boolean(),
  stale,
});
const approve = fc.record({
  do: fc.constant("approve" as const),
  mode: runMode,
  hold: often(5, false),
  stale,
});
const reject = fc.record({ do: fc.constant("reject" as const), stale });
const permit = fc.record({ do: fc.constant("permit" as const), decision });
const plain = fc.record({
  do: fc.constantFrom(
    "say" as const,
    "say" as const,
    "replan" as const,
    "reset" as const,
    "continue" as const,
    "continue" as const,
    "stop first" as const,
  ),
});
const rewind = fc.record({ do: fc.constant("rewind" as const), stepId: fc.constantFrom("s1", "s2") });

/** An act that resolves whatever is open, chosen when that is known. */
const fitting = fc
  .record({ answer, decide: fc.oneof({ weight: 4, arbitrary: approve }, reject), permit, plain })
  .map((choices) => ({ do: "whatever is open" as const, choices }));

const what = fc.oneof(
  { weight: 16, arbitrary: fitting },
  { weight: 5, arbitrary: plain },
  { weight: 3, arbitrary: pill },
  rewind,
  answer,
  approve,
  reject,
  permit,
);

/** A sequence of acts, each with the model's answers to it. More than half begin in plan mode. */
export const acts = fc.array(
  fc
    .tuple(what, turnScript, often(6, false), often(8, false))
    .map(([act, script, edit, twice]): Act => ({ ...act, script, edit, twice })),
  { minLength: 3, maxLength: 9 },
);
