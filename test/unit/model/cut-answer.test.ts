// Incomplete answers: a call that only the end of the answer closes is not run.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../../functions/calls/prepared.ts";
import { streamCompletion } from "../../../functions/model/complete.ts";
import { collect, completeWith, endOf, patientDeps, requestTo } from "./complete-with.ts";

const half = '```tool\n{"tool":"run_command","args":{"command":"echo half > cut.txt"}';

/** Whether each call of the answer `text` would be run. */
async function run(text: string, finish: string, toolProtocol: "native" | "text" = "text") {
  const { events } = await completeWith([{ text, finish }], { toolProtocol });
  return endOf(events).calls.map(({ name, arguments: args }) => [name, parseArguments(args).ok]);
}

const cut: [name: string, text: string][] = [
  ["a fence", half],
  ["a fence, its object closed", `${half}}`],
  ["a fence after a value without quotes", '```tool\n{"tool":"run_command","args":{"command":true'],
  ["no arguments", '```tool\n{"tool":"run_command","args":{}}'],
  ["Hermes", '<tool_call>\n{"name":"run_command","arguments":{"command":"ls"}'],
  ["Qwen-coder", "<function=run_command>\n<parameter=cwd>\na\n</parameter>\n<parameter=command>\nl"],
  ["Mistral", '[TOOL_CALLS]run_command[ARGS]{"command":"ls"}'],
  ["Gemma", '```tool_code\nrun_command(command="ls")'],
];

describe("an answer that ran out of tokens", () => {
  test.each(cut)("%s that only its end closed is a refused call", async (_name, text) => {
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

describe("why an answer ended", () => {
  test.each([
    ["max_output_tokens", "length"],
    ["MODEL_CONTEXT_WINDOW_EXCEEDED", "length"],
    ["incomplete", "length"],
    ["sensitive", "content_filter"],
    ["content-filter", "content_filter"],
    ["RECITATION", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["BLOCKLIST", "content_filter"],
    ["SPII", "content_filter"],
    ["a word of its own", "stop"],
    ["constructor", "stop"],
  ])("%s is reported as %s", async (finish, told) => {
    const { events } = await completeWith([{ text: "1. Do a", finish }]);
    expect(endOf(events).finish).toBe(told);
  });

  test.each([
    "insufficient_system_resource",
    "network_error",
    "network-error",
    "abort",
    "ABORTED",
    "cancelled",
    "timeout",
    "error",
  ])("%s is not an end: the answer is requested again, and half a call is void", async (finish) => {
    const { events, server } = await completeWith([
      { text: "Hal", calls: [{ name: "run_command", args: '{"command":"ls"' }], finish },
      { text: "Whole." },
    ]);
    expect(server.requests).toHaveLength(2);
    expect(endOf(events)).toMatchObject({ finish: "stop", text: "Whole.", calls: [] });
    const failed = completeWith([{ text: "Hal", finish }]);
    await expect(failed).rejects.toMatchObject({ code: "model_error", retryable: true });
  });
});

test("an answer with an endless line is abandoned at once, and its socket closed", async () => {
  const piece = "x".repeat(60_000);
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {");
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    more();
  });
  const closed = new Promise<void>((resolve) => {
    server.on("request", (_request, response) => response.on("close", resolve));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const request = requestTo(`http://127.0.0.1:${port}/v1`, { maxRetries: 0 });
    const answer = collect(streamCompletion(patientDeps, request));
    await expect(answer).rejects.toMatchObject({ code: "model_error", retryable: true });
    await closed;
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
