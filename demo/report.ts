// The end of the demo's work: runs the tests, and reports what their output says.
import { type DemoConversation, type Reply, reply } from "./conversation.ts";
import { firstLines } from "./explain.ts";

/** The call that runs all tests after the last edit; undefined once it has been made. */
export function testRun(conversation: DemoConversation, since: number): Reply | undefined {
  return finalRun(conversation, since) === undefined
    ? reply("", { name: "run_command", args: { command: "npm test" } })
    : undefined;
}

function finalRun({ calls }: DemoConversation, since: number) {
  const lastEdit = calls.findLast((call) => call.name === "edit_file" && call.at > since && !call.failed);
  return calls.findLast((call) => call.name === "run_command" && call.at > (lastEdit?.at ?? since));
}

export function report(conversation: DemoConversation, since: number): Reply {
  const run = finalRun(conversation, since);
  const result = run?.result ?? "";
  const edited = conversation.calls.some(
    (call) => call.name === "edit_file" && call.at > since && !call.failed,
  );
  // The app itself says which files changed.
  const files = edited ? "" : "\n\nNo file had to be changed.";
  const skipped = conversation.calls.some(
    (call) => call.at > since && !call.failed && JSON.stringify(call.args).includes('"skipped"'),
  );
  const left = skipped ? "\n\nSteps that my script does not know were skipped." : "";
  return reply(`${testLine(result)}${files}${left}`);
}

function testLine(result: string): string {
  const count = (name: string) =>
    /\d+/.exec(new RegExp(`^(?:#|ℹ) ${name} \\d+`, "m").exec(result)?.[0] ?? "")?.[0];
  const [passed, failed] = [count("pass"), count("fail")];
  if (/^exit 0\b/.test(result)) {
    const how =
      passed === undefined
        ? "`npm test` passes"
        : `\`npm test\` passes: ${passed} tests, ${failed ?? 0} failed`;
    return `${how}. Each token is limited to 100 requests a minute, and the per-IP limit is unchanged.`;
  }
  if (/^exit \d+/.test(result))
    return `\`npm test\` still fails${failed === undefined ? "" : `: ${failed} failed, ${passed ?? 0} passed`}. The work is not finished, and my script goes no further.`;
  return `The tests could not be run, so I cannot say whether the change works:\n\n> ${firstLines(result || "no result")}`;
}
