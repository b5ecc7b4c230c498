import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitPrompt } from "../../../functions/compaction/fit-prompt.ts";
import { shortened } from "../../../functions/compaction/shorten-messages.ts";
import { estimatePrompt } from "../../../functions/context/estimate.ts";
import { render } from "../../../functions/context/render.ts";
import type { PromptMessage } from "../../../functions/model/prompt.ts";
import { runs } from "../../harness/runs.ts";
import { histories } from "./history-arbitrary.ts";
import { HistoryBuilder } from "./history-builder.ts";
import { pairProblems } from "./pair-problems.ts";

const budget = 8_000;
/** Long histories many times over: a busy machine needs longer than the usual limit. */
const slow = 60_000;
const text = (prompt: readonly PromptMessage[]) => JSON.stringify(prompt);
const fitted = (builder: HistoryBuilder, tokens = budget) => fitPrompt(builder.messages, "system", tokens);

/** A tool-heavy session of one turn: about 600 tokens a round. */
function session(rounds: number): HistoryBuilder {
  const builder = new HistoryBuilder().user("first words");
  for (let round = 0; round < rounds; round += 1) builder.read(`src/file${round}.ts`, 2_000);
  return builder;
}

describe("a history within its budget", () => {
  test("is sent unchanged", () => {
    const builder = session(3);
    expect(fitted(builder)).toMatchObject({
      prompt: render(builder.messages, "system"),
      tokens: estimatePrompt(render(builder.messages, "system")),
      trimmed: 0,
    });
  });
});

describe("what is trimmed", () => {
  test("old results are shortened before anything is left out", () => {
    const builder = new HistoryBuilder().user("first words");
    for (let round = 0; round < 6; round += 1) builder.read(`src/file${round}.ts`, 6_000);
    const { prompt, trimmed } = fitted(builder);
    expect(trimmed).toBeGreaterThan(0);
    expect(prompt.filter(({ role }) => role === "tool")).toHaveLength(6);
    expect(prompt.find(({ role }) => role === "tool")?.content).toContain(
      "characters of an older result left out",
    );
    expect(prompt.at(-1)?.content).not.toContain("left out");
  });

  test("what was shortened is not shortened again, not even one endless line", () => {
    const rows = fc.array(fc.string({ maxLength: 900 }), { maxLength: 12 }).map((lines) => lines.join("\n"));
    const line = fc.nat(200_000).map((length) => "x".repeat(length));
    fc.assert(
      fc.property(fc.oneof(rows, line), (content) => {
        const [, , result] = new HistoryBuilder()
          .user()
          .calls([{ name: "x", args: {}, result: content }]).messages;
        const once = result && shortened(result);
        expect(once && shortened(once)).toBe(once);
        expect(once?.content.length).toBeLessThanOrEqual(content.length);
      }),
    );
  });

  test("the payload of an old call is trimmed with its result", () => {
    const builder = new HistoryBuilder().user();
    builder.calls([
      {
        name: "write_file",
        args: { path: "big.ts", content: "z".repeat(9_000), base: null },
        result: "[big.ts @v1] +1 -0",
      },
    ]);
    for (let round = 0; round < 12; round += 1) builder.read("a.ts", 2_000);
    const sent = text(fitted(builder).prompt);
    expect(sent).not.toContain("zzz");
    expect(sent).toContain("[… 9000 characters left out …]");
    expect(sent).toContain("big.ts");
  });

  test("then the oldest messages are left out, for a digest of files, commands, decisions and messages", () => {
    const builder = new HistoryBuilder().user("first words").user("use tabs <here>").say("ok").user("begin");
    builder.calls([
      {
        name: "edit_file",
        args: { path: "src/login.ts", base: "v1", edits: [] },
        result: "[src/login.ts @v2]",
      },
    ]);
    builder.calls([{ name: "run_command", args: { command: "npm test" }, result: "exit 0" }]);
    builder.ask("Store: sqlite").ask("Names: short");
    for (let round = 0; round < 150; round += 1) builder.read(`src/file${round}.ts`, 2_000);
    const { prompt, tokens } = fitted(builder);
    expect(tokens).toBeLessThanOrEqual(budget);
    const digest = prompt[2]?.content ?? "";
    expect(digest).toContain('<event subkind="summarization_marker" source="trimming">');
    expect(digest).toContain("Files changed: src/login.ts");
    expect(digest).toContain("Commands run: npm test");
    expect(digest).toContain("Decisions: Store: sqlite");
    expect(digest).toContain("The person also said: use tabs <here>");
    // The latest answers still apply, so they are not shortened like old ones.
    expect(text(prompt)).toContain("Names: short");
  });

  test("one huge exchange is cut instead of displacing all others", () => {
    const builder = session(4);
    const huge = { name: "read_file", args: { path: "huge" }, result: "é\n".repeat(8_000) };
    builder.calls([huge, huge, huge, { name: "read_file", args: { path: "small" }, result: "short" }]);
    const { prompt, tokens } = fitted(builder);
    expect(tokens).toBeLessThanOrEqual(budget);
    expect(text(prompt)).toContain("src/file0.ts");
    expect(prompt.at(-1)?.content).toContain("short");
    expect(prompt.at(-2)?.content).toMatch(/\d+ bytes? .*cut/);
  });

  test("a history that cannot fit is an error that says what to do", () => {
    const builder = new HistoryBuilder().user("x".repeat(40_000));
    expect(() => fitted(builder)).toThrow(
      /larger than this model's room of about 8000 tokens.*larger window/,
    );
  });
});

describe("any history", () => {
  const small = 6_000;

  test("fits, with its pins, calls and results together, and the plan whole", {
    tags: "random",
    timeout: slow,
  }, () => {
    fc.assert(
      fc.property(histories(120), (builder) => {
        const { prompt, tokens } = fitted(builder, small);
        expect(tokens).toBe(estimatePrompt(prompt));
        expect(tokens).toBeLessThanOrEqual(small);
        expect(pairProblems(prompt)).toEqual([]);
        expect(prompt[0]).toEqual({ role: "system", content: "system" });
        expect(prompt[1]).toEqual({ role: "user", content: "first" });
        const sent = text(prompt);
        if (builder.planMark) expect(sent).toContain(builder.planMark);
        for (const mark of builder.deltaMarks) expect(sent).toContain(mark);
        const lastUser = builder.messages.findLast(({ role }) => role === "user");
        expect(prompt.some(({ role, content }) => role === "user" && content === lastUser?.content)).toBe(
          true,
        );
      }),
      { numRuns: runs(150, 15) },
    );
  });

  test("trimmed twice equals trimmed once", { tags: "random", timeout: slow }, () => {
    fc.assert(
      fc.property(histories(120), (builder) => {
        const once = fitPrompt(builder.messages, "system", small);
        const twice = fitPrompt(once.history, "system", small);
        expect(twice.prompt).toEqual(once.prompt);
        expect(twice.trimmed).toBe(0);
      }),
      { numRuns: runs(150, 15) },
    );
  });
});

describe("from round to round", () => {
  test("a prompt starts like the one before it unless something new is trimmed, and that is rare", {
    tags: "long",
    timeout: slow,
  }, () => {
    const builder = new HistoryBuilder().user("first words");
    let before: PromptMessage[] = [];
    let broken = 0;
    for (let round = 0; round < 400; round += 1) {
      builder.read(`src/file${round}.ts`, 300 + ((round * 977) % 3_000));
      if (round % 40 === 39) builder.say("done").user(`next ${round}`);
      const { prompt } = fitted(builder);
      if (JSON.stringify(prompt.slice(0, before.length)) !== JSON.stringify(before)) broken += 1;
      before = prompt;
    }
    // 200,000 tokens pass through a budget of 8,000, of which a quarter is freed at a time.
    expect(broken).toBeLessThan(110);
  });

  test("what was left out stays left out", { timeout: slow }, () => {
    const builder = new HistoryBuilder().user("first words");
    let gone = new Set<string>();
    for (let round = 0; round < 120; round += 1) {
      builder.read(`src/file${round}.ts`, 2_000);
      const sent = text(fitted(builder).prompt);
      const now = new Set(
        Array.from({ length: round }, (_, n) => `src/file${n}.ts`).filter((path) => !sent.includes(path)),
      );
      for (const path of gone) expect(now).toContain(path);
      gone = now;
    }
    expect(gone.size).toBeGreaterThan(0);
  });

  test("a session of 500 rounds never fails in a small window, and its plan is whole at the end", () => {
    const builder = new HistoryBuilder().user("first words").switchTo("plan").user("plan").setPlan();
    builder.updatePlan().switchTo("normal").user("Approved. Go ahead.");
    for (let round = 0; round < 500; round += 1) builder.read(`src/file${round}.ts`, (round * 331) % 16_000);
    const { prompt, tokens } = fitted(builder, 24_000);
    expect(tokens).toBeLessThanOrEqual(24_000);
    expect(text(prompt).split(builder.planMark ?? "").length - 1).toBe(1);
    expect(text(prompt)).toContain("The person approved version 1.");
  });

  test("ten times the history takes about ten times the work, not a hundred times", () => {
    // Work is counted in reads of message contents, which do not depend on the machine.
    const reads = (rounds: number) => {
      let count = 0;
      const messages = session(rounds).messages.map((message) => {
        const { content } = message;
        return Object.defineProperty({ ...message }, "content", {
          enumerable: true,
          get: () => {
            count += 1;
            return content;
          },
        });
      });
      fitPrompt(messages, "system", budget);
      return count;
    };
    expect(reads(1_000) / reads(100)).toBeLessThan(15);
  });
});
