// A scripted small model, like those that people run at home. It knows the task, but writes three of its
// calls in a wrong form. After an error it copies an example if the error contains one, and otherwise repeats
// its mistake, as such models do.
import type { RequestBody } from "../fakes/model-server.ts";

export interface SmallTask {
  path: string;
  old: string;
  new: string;
}

interface MeantCall {
  tool: string;
  args: Record<string, unknown>;
}

type Mistake = (call: MeantCall, task: SmallTask) => string;

const json = (value: unknown) => JSON.stringify(value);
const fence = (body: string, language = "tool") => `\`\`\`${language}\n${body}\n\`\`\``;
const right: Mistake = ({ tool, args }) => fence(`{"tool": ${json(tool)}, "args": ${json(args)}}`);
const others: Readonly<Record<string, string>> = {
  read_file: "Read",
  edit_file: "Edit",
  run_command: "Bash",
};

/** Each of these mistakes occurred in practice: test/fixtures/nearly-calls.jsonl. */
const mistakes: Readonly<Record<string, Mistake>> = {
  "name and arguments, bare": ({ tool, args }) => json({ name: tool, arguments: args }),
  "name and parameters in a fence": ({ tool, args }) => fence(json({ name: tool, parameters: args }), "json"),
  "OpenAI's function": ({ tool, args }) =>
    json({ type: "function", function: { name: tool, arguments: json(args) } }),
  "Cline's elements": ({ tool, args }) =>
    `<${tool}>\n${Object.entries(args)
      .map(([key, value]) => `<${key}>${typeof value === "string" ? value : json(value)}</${key}>`)
      .join("\n")}\n</${tool}>`,
  ReAct: ({ tool, args }) => `Thought: I need to do this.\nAction: ${tool}\nAction Input: ${json(args)}`,
  "Claude Code's names": ({ tool, args: { path, edits, ...rest } }, task) =>
    json({
      name: others[tool],
      arguments: {
        ...(path ? { file_path: path } : {}),
        ...rest,
        ...(edits ? { old_string: task.old, new_string: task.new } : {}),
      },
    }),
  "an unknown tool": ({ args }) => fence(json({ tool: "open_editor", args })),
  "a diff": (_, { path, old, new: now }) =>
    `Here is the change:\n\n${fence(`--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${old}\n+${now}`, "diff")}`,
  "a file in a fence": (_, { path, new: now }) =>
    `The new ${path}:\n\n${fence(`${now}\n// ... rest of the code\nexport {};`, "js")}`,
  "a claim": (_, { path }) => `I have changed ${path} as you asked.`,
  "an announcement": (_, { path }) => `I will look at ${path} and change it.`,
  "an open fence": (call, task) => right(call, task).replace(/\n```$/, ""),
  "words after it": ({ tool, args }) =>
    `I will do it.\n\n${fence(json({ name: tool, arguments: args }), "json")}\n\nThis will do it.`,
  "a thought beside it": ({ tool, args }) => fence(json({ thought: "next", tool, args })),
  "arguments beside the tool": ({ tool, args }) => fence(json({ tool, ...args })),
  "single quotes": ({ tool, args }) =>
    /['"\\]/.test(Object.values(args).join()) || tool === "edit_file"
      ? json({ name: tool, arguments: args })
      : fence(`{'tool': '${tool}', 'args': ${json(args).replaceAll('"', "'")}}`),
  "a list of calls": ({ tool, args }) => json([{ name: tool, arguments: args }]),
  Python: ({ tool, args }) =>
    fence(
      `${tool}(${Object.entries(args)
        .map(([key, value]) => `${key}=${json(value)}`)
        .join(", ")})`,
      "python",
    ),
  "a string that is not closed": ({ tool, args }) =>
    fence(`{"tool": ${json(tool)}, "args": ${json(args).replace(/"([}\]]*)$/, "$1")}}`),
};

/** The steps of a task: read, edit, check. */
function steps({ path, old, new: now }: SmallTask): MeantCall[] {
  return [
    { tool: "read_file", args: { path } },
    { tool: "edit_file", args: { path, edits: [{ op: "replace_text", old, new: now }] } },
    { tool: "run_command", args: { command: `grep -c . ${path}` } },
  ];
}

/**
 * Without an example, the model repeats its mistake twice and then writes the right form, as larger ones of
 * these models do.
 */
const patience = 2;

export class SmallMind {
  readonly #task: SmallTask;
  readonly #steps: MeantCall[];
  readonly kinds: string[];
  #at = 0;
  #made = 0;
  #fixed = false;

  constructor(task: SmallTask, random: () => number) {
    this.#task = task;
    this.#steps = steps(task);
    const names = Object.keys(mistakes);
    this.kinds = this.#steps.map(() => names[Math.floor(random() * names.length)] ?? "");
  }

  answer(body: RequestBody): string {
    const last = body.messages.at(-1);
    this.#react(last?.role === "user" ? String(last.content) : "");
    const call = this.#steps[this.#at];
    if (call === undefined) return "The file is changed and checked.";
    const mistake = mistakes[this.kinds[this.#at] ?? ""];
    if (this.#fixed || mistake === undefined) return right(call, this.#task);
    this.#made += 1;
    return mistake(call, this.#task);
  }

  #react(said: string): void {
    if (this.#made === 0 && !this.#fixed) return;
    if (/\[TOOL_RESULT \S+ \S+ ok\]/.test(said)) {
      this.#at += 1;
      this.#made = 0;
      this.#fixed = false;
    } else if (said.includes('"tool"') || this.#made >= patience) this.#fixed = true;
  }
}
