// The model's summary of messages that were left out.
import { expect, test } from "vitest";
import { digest } from "../../../functions/compaction/digest.ts";
import { HistoryBuilder } from "./history-builder.ts";

test("a script keeps its lines, and one-line commands stay on one line", () => {
  const ran = (...commands: string[]) => {
    const builder = new HistoryBuilder().user();
    for (const command of commands)
      builder.calls([{ name: "run_command", args: { command }, result: "exit 0" }]);
    return digest(builder.messages, 4_000).content;
  };
  expect(ran("npm test", "git status")).toContain("Commands run: npm test | git status");
  expect(ran("npm test", "cd src\nmake all")).toContain("Commands run:\n- npm test\n- cd src\n  make all");
});
