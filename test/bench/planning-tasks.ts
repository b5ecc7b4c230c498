// Tasks on the repository of the recorded session, each with three lists: the reads for the plan, the reads
// to repeat before a change if the first ones were dropped, and the work.

import { answered, typed } from "../contract/turns/recorded-session.ts";
import type { ScriptedCall } from "../fakes/model-reply.ts";

/** Each inner list has the calls of one answer. */
export interface PlanningTask {
  name: string;
  asked: string;
  reads: ScriptedCall[][];
  again: ScriptedCall[][];
  steps: string[];
  work: ScriptedCall[][];
}

const read = (path: string, lines?: string): ScriptedCall => ({
  name: "read_file",
  args: { path, ...(lines ? { lines } : {}) },
});
const search = (pattern: string, glob?: string): ScriptedCall => ({
  name: "search_files",
  args: { pattern, ...(glob ? { glob } : {}) },
});

/** Six answers that each write thirty lines. */
const sixWrites = (name: string): ScriptedCall[][] =>
  Array.from({ length: 6 }, (_, round) => [
    {
      name: "write_file",
      args: {
        path: `work/${name}-${round}.ts`,
        content: Array.from({ length: 30 }, (_, line) => `export const part${line} = ${round + line};`).join(
          "\n",
        ),
        base: null,
      },
    },
  ]);

const only = (from: number, to: number, names: readonly string[]): ScriptedCall[][] =>
  answered(from, to)
    .map(({ calls = [] }) => calls.filter(({ name }) => names.includes(name)))
    .filter(({ length }) => length > 0);

/**
 * The session's commands, their output and its reports are left out, because they cost the same either way.
 */
const recorded: PlanningTask = {
  name: "recorded session",
  asked: typed(0),
  reads: only(1, 7, ["read_file", "search_files", "list_files"]),
  again: [
    [read("source/errors/TimeoutError.ts"), read("source/utils/timeout.ts"), read("readme.md", "1295-1340")],
    [read("source/core/Ky.ts", "679-975"), read("test/main.ts", "1060-1110")],
  ],
  steps: ["Give TimeoutError a limit", "Pass it where it is thrown", "Test it", "Export the type", "Verify"],
  work: only(12, 19, ["edit_file", "search_files", "read_file"]),
};

export const planningTasks: readonly PlanningTask[] = [
  recorded,
  {
    name: "cap of the jitter",
    asked: "Custom jitter functions may return more than backoffLimit; make the cap an option of its own.",
    reads: [
      [search("jitter"), search("backoffLimit")],
      [
        read("source/core/Ky.ts", "440-580"),
        read("source/types/retry.ts"),
        read("source/core/retry-timing.ts"),
      ],
      [read("source/utils/normalize.ts"), read("source/utils/merge.ts"), search("jitter", "test/**")],
      [read("test/retry.ts", "1-260"), read("readme.md", "270-380")],
    ],
    again: [[read("source/core/Ky.ts", "465-490"), read("source/types/retry.ts", "50-115")]],
    steps: ["Add the option", "Apply it", "Test it", "Document it"],
    work: sixWrites("jitter"),
  },
  {
    name: "order of the hooks",
    asked: "Say in the readme in which order hooks run when a retry is forced, and test that order.",
    reads: [
      [search("beforeRetry"), search("afterResponse", "source/**")],
      [read("source/core/Ky.ts", "150-340"), read("source/core/Ky.ts", "860-1060")],
      [read("source/types/hooks.ts"), read("test/hooks.ts", "1-300")],
      [read("readme.md", "560-820"), read("test/hooks.ts", "2000-2260")],
    ],
    again: [[read("readme.md", "560-640"), read("test/hooks.ts", "1-60")]],
    steps: ["Write the test", "Document the order", "Link it from the types"],
    work: sixWrites("hooks"),
  },
  {
    name: "errors in search params",
    asked: "An undefined search parameter is dropped silently; warn about it in development.",
    reads: [
      [search("searchParams"), search("NODE_ENV")],
      [read("source/core/Ky.ts", "300-460"), read("source/utils/merge.ts"), read("source/types/options.ts")],
      [read("test/formdata-searchparams.ts"), search("searchParams", "test/main.ts")],
    ],
    again: [[read("source/core/Ky.ts", "318-332"), read("source/types/options.ts", "60-120")]],
    steps: ["Find dropped parameters", "Warn once", "Test it"],
    work: sixWrites("params"),
  },
];
