// The conversations during which processes die. Their effects would reveal a second run.
import type { ModelReply, ScriptedCall } from "../fakes/model-reply.ts";
import type { Habits } from "./person.ts";

export interface Scenario {
  name: string;
  habits: Habits;
  /**
   * The places where a person sees whether a call has run, by the call's id: a file of the case, and its
   * content after the call.
   */
  traces: Record<string, readonly [file: string, text: string]>;
  /** `folder`: the case's folder in the workspace. */
  script(folder: string): ModelReply[];
}

const run = (id: string, command: string): ScriptedCall => ({ id, name: "run_command", args: { command } });

/** Commands, a new file and an edit, in rounds of several calls; two turns. */
export const commands: Scenario = {
  name: "commands",
  habits: { mode: "normal", says: ["Do the work.", "And once more."] },
  traces: {
    a: ["log.txt", "a\n"],
    b: ["log.txt", "b\n"],
    new: ["n.txt", "one"],
    edit: ["n.txt", "two"],
    count: ["log.txt", "c\n"],
    d: ["log.txt", "d\n"],
  },
  script: (folder) => [
    {
      text: "I begin.",
      calls: [
        run("a", `mkdir -p ${folder} && echo a >> ${folder}/log.txt`),
        run("b", `echo b >> ${folder}/log.txt`),
        { id: "look", name: "list_files", args: { path: folder } },
      ],
    },
    {
      calls: [
        { id: "new", name: "write_file", args: { path: `${folder}/n.txt`, content: "one\n", base: null } },
      ],
    },
    {
      text: "Two at once, and one that does not exist.",
      calls: [
        { id: "nothing", name: "no_such_tool", args: {} },
        {
          id: "edit",
          name: "edit_file",
          args: { path: `${folder}/n.txt`, base: "v1", edits: [{ op: "append", lines: ["two"] }] },
        },
        run("count", `echo c >> ${folder}/log.txt; wc -l < ${folder}/log.txt`),
        {
          id: "stale",
          name: "edit_file",
          args: { path: `${folder}/n.txt`, base: "v99", edits: [{ op: "append", lines: ["never"] }] },
        },
      ],
    },
    { text: "Done." },
    { calls: [run("d", `echo d >> ${folder}/log.txt; echo d`)] },
    { text: "Done again." },
  ],
};

/** A plan with a question, approved and executed in two steps with checkpoints and snapshots. */
const planned: Scenario = {
  name: "planned",
  habits: { mode: "plan", says: ["Plan the work."] },
  traces: { w1: ["log.txt", "s1\n"], w2: ["log.txt", "s2\n"], u2: ["checks.txt", "k1\n"] },
  script: (folder) => [
    {
      calls: [
        {
          id: "plan",
          name: "set_plan",
          args: {
            goal: "Two notes",
            steps: [
              {
                id: "s1",
                description: "First note",
                checkpoint: { command: `echo k1 >> ${folder}/checks.txt` },
              },
              { id: "s2", description: "Second note" },
            ],
          },
        },
        {
          id: "ask",
          name: "ask_user",
          args: {
            questions: [
              {
                id: "q",
                label: "Tone",
                prompt: "Which?",
                type: "single_select",
                options: [{ label: "Short" }],
              },
            ],
          },
        },
      ],
    },
    { calls: [{ id: "exit", name: "exit_plan", args: {} }] },
    { calls: [{ id: "u1", name: "update_plan", args: { steps: [{ id: "s1", status: "active" }] } }] },
    {
      calls: [
        run("w1", `mkdir -p ${folder} && echo s1 >> ${folder}/log.txt`),
        { id: "u2", name: "update_plan", args: { steps: [{ id: "s1", status: "done", note: "written" }] } },
        { id: "u3", name: "update_plan", args: { steps: [{ id: "s2", status: "active" }] } },
        run("w2", `echo s2 >> ${folder}/log.txt`),
      ],
    },
    {
      calls: [
        { id: "u4", name: "update_plan", args: { steps: [{ id: "s2", status: "done", note: "written" }] } },
      ],
    },
    { text: "Both notes are there." },
  ],
};

/** A command that waits for permission, followed by other calls of the same answer. */
const permitted: Scenario = {
  name: "permitted",
  habits: { mode: "normal", says: ["Clean up."] },
  traces: { before: ["log.txt", "before\n"], clean: ["log.txt", "cleaned\n"], after: ["log.txt", "after\n"] },
  script: (folder) => [
    {
      calls: [
        run("before", `mkdir -p ${folder} && echo before >> ${folder}/log.txt`),
        run("clean", `rm -rf ${folder}/old; echo cleaned >> ${folder}/log.txt`),
        run("after", `echo after >> ${folder}/log.txt`),
      ],
    },
    { text: "Cleaned." },
  ],
};

/**
 * The conversation `commands`, which the person stops after `afterEvents` events of the first turn. Then she
 * continues.
 */
export function stopped(afterEvents: number): Scenario {
  const { habits } = commands;
  return { ...commands, name: "stopped", habits: { ...habits, stopsAfter: afterEvents } };
}

export const scenarios: readonly Scenario[] = [commands, planned, permitted];
