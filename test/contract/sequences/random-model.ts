// Random answers of a model: plans, progress, questions, files, commands, nonsense. Part of the property
// tests of turns.
import fc from "fast-check";
import type { ModelReply, ScriptedCall } from "../../fakes/model-reply.ts";

const steps = fc.constantFrom(
  [
    { id: "s1", description: "Write" },
    { id: "s2", description: "Read it again" },
  ],
  ["Write", { description: "Check", checkpoint: { command: "true" } }],
  [
    { id: "s1", description: "Write", checkpoint: { command: "false" }, onFail: "retry" },
    { id: "s2", description: "Tell", preconditions: ["s1 is done"] },
  ],
  [{ id: "s1", description: "Write", checkpoint: { command: "false" }, onFail: "skip" }],
  [{ id: "s1", description: "Write", checkpoint: { command: "false" }, onFail: "rollback" }],
  [{ id: "s2", description: "Only this", checkpoint: { command: "rm -rf nothing" }, onFail: "stop" }],
);
const setPlan = fc
  .record({ goal: fc.constantFrom("Leave a note", "Something else"), steps })
  .map((args): ScriptedCall => ({ name: "set_plan", args }));

const question = {
  id: "q",
  label: "Colour",
  prompt: "Which?",
  type: "single_select",
  options: [{ label: "Red" }, { label: "Blue" }],
};
const fixed = (name: string, args: Record<string, unknown>) => fc.constant<ScriptedCall>({ name, args });
const step = fc
  .record({
    id: fc.constantFrom("s1", "s2"),
    status: fc.constantFrom("active", "done", "done", "failed", "skipped", "pending"),
    note: fc.constantFrom("did it", "did it", ""),
  })
  .map((change): ScriptedCall => ({ name: "update_plan", args: { steps: [change] } }));

const call = fc.oneof(
  { weight: 3, arbitrary: setPlan },
  { weight: 4, arbitrary: step },
  { weight: 3, arbitrary: fixed("ask_user", { summary: "A fork.", questions: [question] }) },
  { weight: 3, arbitrary: fixed("exit_plan", {}) },
  fixed("exit_plan", { plan: "# Goal\n\nAs text\n\n# Plan\n\n1. One" }),
  fixed("update_plan", { addSteps: [{ description: "One more" }], note: "found more" }),
  fixed("update_plan", { steps: [{ id: "s1", description: "Write it better" }] }),
  fixed("get_plan", {}),
  fixed("read_file", { path: "a.txt" }),
  fixed("write_file", { path: "new.txt", content: "x\n", base: null }),
  fixed("run_command", { command: "rm -rf nothing" }),
  fixed("no_such_tool", {}),
  fc.constant<ScriptedCall>({ name: "read_file", args: '{"path": [' }),
);

const reply: fc.Arbitrary<ModelReply> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ text: "Just words." }) },
  { weight: 1, arbitrary: fc.constant({ text: "# Plan\n\n1. One\n2. Two" }) },
  { weight: 1, arbitrary: fc.constant({ status: 401, body: { error: { message: "bad key" } } }) },
  {
    weight: 10,
    arbitrary: fc
      .array(call, { minLength: 1, maxLength: 3 })
      .map((calls) => ({ text: calls.length > 2 ? "Some words beside." : "", calls })),
  },
);

/**
 * The answers within one turn. The last one is repeated, so every turn ends on its own or by its limit of
 * rounds.
 */
export const turnScript = fc
  .array(reply, { minLength: 1, maxLength: 4 })
  .map((replies): ModelReply[] => [...replies, { text: "The end." }]);
