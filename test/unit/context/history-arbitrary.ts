// Arbitrarily long histories for property tests: acts of a session in any order, small and large.
import fc from "fast-check";
import { HistoryBuilder } from "./history-builder.ts";

type Act = (builder: HistoryBuilder) => unknown;

/** Everything that is said and done besides a plan. */
const work: fc.Arbitrary<Act> = fc.oneof(
  fc.string({ maxLength: 200 }).map(
    (text): Act =>
      (b) =>
        b.user(`u ${text}`),
  ),
  fc.string({ maxLength: 400 }).map(
    (text): Act =>
      (b) =>
        b.say(`a ${text}`),
  ),
  fc.nat(9_000).map(
    (chars): Act =>
      (b) =>
        b.read("src/a.ts", chars),
  ),
  fc.nat(5_000).map(
    (chars): Act =>
      (b) => {
        b.calls([
          {
            name: "write_file",
            args: { path: "b.ts", content: "y".repeat(chars), base: null },
            result: "[b.ts @v1] +9 -0",
          },
          {
            name: "run_command",
            args: { command: "npm test" },
            result: `exit 0\n${"ok\n".repeat(chars / 4)}`,
          },
        ]);
      },
  ),
);

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: work },
  fc.constant<Act>((b) => b.setPlan()),
  fc.constant<Act>((b) => b.refusedSetPlan()),
  fc.constant<Act>((b) => b.textPlan()),
  fc.constant<Act>((b) => b.exitPlanWithText()),
  fc.constant<Act>((b) => b.plan && b.exitPlanRepeating()),
  fc.constant<Act>((b) => b.plan && b.editByHand()),
  fc.constant<Act>((b) => b.updatePlan()),
  fc.constant<Act>((b) => b.ask("Way: the short one")),
  fc.constantFrom("plan", "normal", "auto").map(
    (mode): Act =>
      (b) =>
        b.switchTo(mode).user("and now"),
  ),
  fc
    .constantFrom("tick", "cron_fire", "process_completed", "verifier_report", "system_notice", "new_kind")
    .map(
      (subkind): Act =>
        (b) =>
          b.event(subkind, `<${subkind}> & more`),
    ),
  fc.constant<Act>((b) => b.summary("<sum> & more. ".repeat(300))),
  fc.constantFrom("once", "session").map(
    (decision): Act =>
      (b) =>
        b.event("tool_decision", "decided", { decision }),
  ),
);

/** A session of up to `maxLength` acts that begins with a person's message and is about to be answered. */
export function histories(maxLength: number): fc.Arbitrary<HistoryBuilder> {
  return fc.array(act, { maxLength, size: "max" }).map((acts) => {
    const builder = new HistoryBuilder().user("first");
    for (const perform of acts) perform(builder);
    return builder;
  });
}

/** A session whose plan, updates and answers come at its beginning, followed by long work. */
export function longWork(maxLength: number): fc.Arbitrary<HistoryBuilder> {
  return fc.array(work, { maxLength, size: "max" }).map((acts) => {
    const builder = new HistoryBuilder().user("first").switchTo("plan").user("plan").setPlan();
    builder.ask("Way: the short one").switchTo("auto").user("go").updatePlan().updatePlan();
    for (const perform of acts) perform(builder);
    return builder;
  });
}
