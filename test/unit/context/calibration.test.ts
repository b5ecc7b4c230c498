import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  budgetOf,
  calibrationIn,
  observed,
  roomOf,
  tightened,
} from "../../../functions/context/calibration.ts";
import type { Calibration } from "../../../shared/message.ts";
import { HistoryBuilder } from "./history-builder.ts";

const model = "p/m";
const fresh: Calibration = { model, scale: 1 };

describe("the provider's token count", () => {
  test("scales what fits", () => {
    const known = observed(fresh, 10_000, 12_500);
    expect(known.scale).toBe(1.25);
    expect(budgetOf(known, 100_000)).toBe(80_000);
    expect(roomOf(known, 100_000)).toBe(64_000);
  });

  test("changes nothing where it is close, so that budgets stay the same from round to round", () => {
    const known = observed(fresh, 10_000, 12_500);
    expect(observed(known, 10_000, 12_900)).toBe(known);
    expect(observed(known, 10_000, 11_000).scale).toBe(1.1);
  });

  test.each([0, 100, 90_000])("is ignored where it cannot be the prompt's size: %i for 10,000", (tokens) => {
    expect(observed(fresh, 10_000, tokens)).toBe(fresh);
  });

  test("is read from the history, for the model that it was learned from", () => {
    const builder = new HistoryBuilder().user().say();
    const last = builder.messages.at(-1);
    if (last?.role !== "assistant") throw new Error("no answer");
    last.calibration = { model, scale: 1.5 };
    builder.say();
    expect(calibrationIn(builder.messages, model).scale).toBe(1.5);
    expect(calibrationIn(builder.messages, "p/other")).toEqual({ model: "p/other", scale: 1 });
  });
});

describe("a prompt refused as too long", () => {
  const learned = (said: string, estimatedTokens: number, contextWindow = 128_000) => {
    const known = tightened(fresh, { contextWindow, estimatedTokens, said });
    return { known, room: roomOf(known, contextWindow) };
  };

  test.each([
    "This model's maximum context length is 32768 tokens. However, your messages resulted in 60000 tokens.",
    "prompt is too long: 60000 tokens > 32768 maximum",
    "Prompt contains 60000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "The input token count (60,000) exceeds the maximum number of tokens allowed (32,768).",
    "exceeded model token limit: 32768 (requested: 60000)",
    "`inputs` tokens + `max_new_tokens` must be <= 32768. Given: 60000 `inputs` tokens and 20 `max_new_tokens`",
    "Input length 60000 exceeds maximum allowed token size of 32768",
    "you requested 60000 tokens (52000 in the messages, 8000 in the completion); the limit is 32768",
  ])("teaches limit and size: %s", (said) => {
    const { known, room } = learned(said, 50_000);
    expect(known).toEqual({ model, scale: 1.2, window: 32_768 });
    expect(room).toBe(Math.floor(26_214 / 1.2));
  });

  test("teaches a limit without a size", () => {
    const { known, room } = learned("the request exceeds the available context size (8192 tokens)", 20_000);
    expect(known).toEqual({ model, scale: 1, window: 8_192 });
    expect(room).toBe(6_553);
  });

  test("teaches a range, and nothing from a model's name", () => {
    const said = "longer than qwen-max-2025-01-25 takes: Range of input length should be [1, 30720]";
    expect(learned(said, 40_000).known).toEqual({ model, scale: 1, window: 30_720 });
    expect(learned("longer than qwen-max-2025-01-25 takes: too long", 40_000).room).toBe(24_000);
  });

  test.each(["too long", "maximum context length is 128000 tokens"])(
    "is cut to 60 % where its message explains nothing: %s",
    (said) => {
      const { known, room } = learned(said, 20_000);
      expect(room).toBe(12_000);
      // A scale that is learned later does not undo that.
      expect(roomOf(observed(known, 12_000, 18_000), 128_000)).toBe(12_000);
    },
  );

  test("always leaves less room than was used", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: 1_000, max: 200_000 }),
        fc.nat(2_000_000),
        (words, sent, number) => {
          for (const said of [words, `maximum ${number}`, `${number} tokens > ${words} limit 9000`])
            expect(learned(said, sent).room).toBeLessThan(sent);
        },
      ),
    );
  });
});
