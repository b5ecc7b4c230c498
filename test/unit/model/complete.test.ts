// A completion over real HTTP: the events that a caller receives for streams of all forms.
import { describe, expect, test } from "vitest";
import { streamCompletion } from "../../../functions/model/complete.ts";
import type { ModelEvent } from "../../../functions/model/model-event.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { startModelServer } from "../../fakes/model-server.ts";
import { completeWith, endOf, patientDeps, requestTo, standing } from "./complete-with.ts";

const tricky = 'Grüße, 世界 🌍, {"a": [1,2]} and \\ back\nslash';
const twoCalls: ModelReply = {
  text: tricky,
  reasoning: "First 考え.",
  calls: [
    { id: "call_a", name: "read_file", args: { path: "src/ä.js", start: 1 } },
    { id: "call_b", name: "run_command", args: { command: 'echo "🌍"' } },
  ],
};

const framings: Record<string, Partial<ModelReply>> = {
  "as it comes": {},
  "one byte at a time": { fragments: "bytes" },
  "in forty pieces": { fragments: 40 },
  "with CRLF": { quirks: { crlf: true }, fragments: 30 },
  "with comments between": { quirks: { comments: true } },
  "without [DONE]": { quirks: { noDone: true } },
  "with usage beside the finish": { quirks: { usageWithFinish: true } },
  "with all calls in one chunk": { quirks: { callsInOneChunk: true } },
  "with calls without index": { quirks: { noIndex: true } },
  "with every call numbered 0": { quirks: { sameIndex: true } },
  "with arguments as objects": { quirks: { objectArguments: true } },
  "with finish stop": { finish: "stop" },
  "with reasoning in another field": { quirks: { reasoningField: "reasoning" } },
};

describe("the same answer, whatever its framing", () => {
  for (const [name, framing] of Object.entries(framings)) {
    test(name, async () => {
      const { events } = await completeWith([{ ...twoCalls, ...framing }]);
      const end = endOf(events);
      expect(end.text).toBe(tricky);
      expect(end.reasoning).toBe("First 考え.");
      expect(end.finish).toBe("tool_calls");
      expect(end.calls.map(({ id, name, arguments: args }) => [id, name, JSON.parse(args)])).toEqual([
        ["call_a", "read_file", { path: "src/ä.js", start: 1 }],
        ["call_b", "run_command", { command: 'echo "🌍"' }],
      ]);
      expect(events.filter((event) => event.type === "usage")).toEqual([
        { type: "usage", inputTokens: 100, outputTokens: 20, cachedTokens: 0 },
      ]);
      expect(events.flatMap((event) => (event.type === "text" ? event.delta : [])).join("")).toBe(end.text);
      expect(events.flatMap((event) => (event.type === "call" ? [event.call] : []))).toEqual(end.calls);
    });
  }

  test("one JSON body instead of a stream", async () => {
    const { events } = await completeWith([{ ...twoCalls, quirks: { plainJson: true } }]);
    const end = endOf(events);
    expect(end.text).toBe(tricky);
    expect(end.calls.map(({ name }) => name)).toEqual(["read_file", "run_command"]);
  });
});

test("pieces keep their place among the events, over a retry too", async () => {
  const script: ModelReply[] = [
    { text: "void", cut: 500 },
    { ...twoCalls, fragments: 40 },
  ];
  const { events: yielded } = await completeWith(script);
  const server = await startModelServer(script);
  try {
    const events: ModelEvent[] = [];
    const request = requestTo(server.url, { say: (piece) => void events.push(piece) });
    for await (const event of streamCompletion(patientDeps, request)) {
      expect(event).not.toHaveProperty("delta");
      events.push(event);
    }
    expect(told(events)).toEqual(told(yielded));
  } finally {
    await server.close();
  }
});

/** Joins adjacent pieces, because where a socket cuts a stream is random. */
function told(events: readonly ModelEvent[]): ModelEvent[] {
  const whole: ModelEvent[] = [];
  for (const event of standing(events)) {
    const last = whole.at(-1);
    if (last && "delta" in last && "delta" in event && last.type === event.type) last.delta += event.delta;
    else whole.push({ ...event });
  }
  return whole;
}

describe("ends", () => {
  test("text alone ends with stop", async () => {
    const { events } = await completeWith([{ text: "done" }]);
    expect(endOf(events)).toEqual({ type: "end", finish: "stop", text: "done", reasoning: "", calls: [] });
  });

  test("a finish for lack of tokens is reported", async () => {
    const { events } = await completeWith([{ text: "half a sen", finish: "length" }]);
    expect(endOf(events).finish).toBe("length");
  });

  test("a missing id is '' and a repeated one counts once", async () => {
    const calls = [
      { id: null, name: "read_file", args: { path: "a" } },
      { id: "x", name: "read_file", args: { path: "b" } },
      { id: "x", name: "read_file", args: { path: "c" } },
    ];
    const { events } = await completeWith([{ calls }]);
    expect(endOf(events).calls.map(({ id, arguments: args }) => [id, JSON.parse(args)])).toEqual([
      ["", { path: "a" }],
      ["x", { path: "b" }],
      ["", { path: "c" }],
    ]);
  });

  test("missing arguments are an empty object", async () => {
    const { events } = await completeWith([{ calls: [{ name: "ask_user", args: "" }] }]);
    expect(endOf(events).calls[0]?.arguments).toBe("{}");
  });

  test("[DONE] without a finish ends the answer", async () => {
    const { events } = await completeWith([{ text: "well", finish: null }]);
    expect(endOf(events)).toMatchObject({ finish: "stop", text: "well" });
  });
});

describe("parallel calls", () => {
  const chunk = (delta: unknown, finish: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const ends = chunk({}, "tool_calls");
  const fragment = (name: string | null, args: string | null) => ({
    index: 0,
    function: { name, arguments: args },
  });
  const ask = ["ask_user", "{}"];
  const ls = ["run_command", '{"command":"ls"}'];

  async function callsOf(chunks: unknown[]) {
    const { events } = await completeWith([{ chunks }]);
    const end = endOf(events);
    return { text: end.text, calls: end.calls.map(({ name, arguments: args }) => [name, args]) };
  }

  test.each<[string, [string | null, string | null][], string[][]]>([
    [
      "no arguments before some",
      [
        ["ask_user", ""],
        ["run_command", '{"command":"ls"}'],
      ],
      [ask, ls],
    ],
    [
      "no arguments in either",
      [
        ["ask_user", null],
        ["run_command", null],
      ],
      [ask, ["run_command", "{}"]],
    ],
    [
      "arguments that come later",
      [
        ["ask_user", "{}"],
        ["run_command", ""],
        [null, '{"command":'],
        [null, '"ls"}'],
      ],
      [ask, ls],
    ],
    [
      "a name in pieces",
      [
        ["run", ""],
        ["_command", ""],
        [null, '{"command":"ls"}'],
      ],
      [ls],
    ],
    [
      "a name in every fragment",
      [
        ["run_command", ""],
        ["run_command", '{"command":'],
        ["run_command", '"ls"}'],
      ],
      [ls],
    ],
  ])("at one index without ids: %s", async (_name, parts, calls) => {
    const fragments = parts.map(([name, args]) => fragment(name, args));
    expect(await callsOf([chunk({ tool_calls: fragments }), ends])).toEqual({ text: "", calls });
    const apart = fragments.map((part) => chunk({ tool_calls: [part] }));
    expect(await callsOf([...apart, ends])).toEqual({ text: "", calls });
  });

  test("in a whole message after its text they are taken once, and its text is not repeated", async () => {
    const message = {
      role: "assistant",
      content: "I look.",
      tool_calls: [{ id: "a", function: { name: "run_command", arguments: '{"command":"ls"}' } }],
    };
    const whole = { choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
    const said = chunk({ content: "I look." });
    expect(await callsOf([said, whole])).toEqual({ text: "I look.", calls: [ls] });
    const called = chunk({ tool_calls: message.tool_calls });
    expect(await callsOf([said, called, whole])).toEqual({ text: "I look.", calls: [ls] });
  });
});
