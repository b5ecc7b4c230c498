// Answers that ended before they were complete: nothing that only their end closed is run.
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../../functions/tools/arguments.ts";
import { completeWith, endOf } from "./complete-with.ts";

const half = '```tool\n{"tool":"run_command","args":{"command":"echo half > cut.txt"}';

/** Whether each call of the answer `text` would be run. */
async function run(text: string, finish: string, toolProtocol: "native" | "text" = "text") {
  const { events } = await completeWith([{ text, finish }], { toolProtocol });
  return endOf(events).calls.map(({ name, arguments: args }) => [name, parseArguments(name, args).ok]);
}

const cut: [name: string, text: string][] = [
  ["a fence", half],
  ["a fence, its object closed", `${half}}`],
  ["a fence behind a value without quotes", '```tool\n{"tool":"run_command","args":{"command":true'],
  ["no arguments", '```tool\n{"tool":"run_command","args":{}}'],
  ["Hermes", '<tool_call>\n{"name":"run_command","arguments":{"command":"ls"}'],
  ["Qwen-coder", "<function=run_command>\n<parameter=cwd>\na\n</parameter>\n<parameter=command>\nl"],
  ["Mistral", '[TOOL_CALLS]run_command[ARGS]{"command":"ls"}'],
  ["Gemma", '```tool_code\nrun_command(command="ls")'],
];

describe("an answer that ran out of tokens", () => {
  test.each(cut)("%s that only its end closed is a call that is refused", async (_name, text) => {
    expect(await run(text, "length")).toEqual([["run_command", false]]);
  });

  test.each(cut)("%s without that finish is a call", async (_name, text) => {
    expect(await run(text, "stop")).toHaveLength(1);
  });

  test.each([
    ["a fence", `${half}}\n\`\`\``],
    ["Hermes", '<tool_call>\n{"name":"run_command","arguments":{"command":"ls"}}\n</tool_call>\n'],
  ])("%s that was closed is run", async (_name, text) => {
    expect(await run(text, "length")).toEqual([["run_command", true]]);
    expect(await run(`${text}\n${half}`, "length")).toEqual([
      ["run_command", true],
      ["run_command", false],
    ]);
  });
});
