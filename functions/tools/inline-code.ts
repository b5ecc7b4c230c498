// Code given to an interpreter on its command line: the shell commands that its text plainly shows.
// Not seen: anything that the code puts together, and all of it in script files. Most such code reads or
// computes, and asking every time would teach people to say yes; the jail holds where this is fooled.
import type { Invocation } from "./invocation.ts";

const codeOption: ReadonlyMap<string, RegExp> = new Map([
  ["python", /^-[a-zA-Z]*c$/],
  ["node", /^(-e|--eval|-p|--print|-pe)$/],
  ["deno", /^eval$/],
  ["bun", /^(-e|--eval)$/],
  ["perl", /^-[a-zA-Z0-9]*[eE]$/],
  ["ruby", /^-[a-zA-Z]*e$/],
  ["php", /^-r$/],
]);

/** Ways to delete a tree or to talk to another machine without a shell, and the command that says the same. */
const equivalents: readonly [RegExp, string][] = [
  [
    /\b(rmtree|remove_tree|rm_rf|rm_r|rmSync|rmdirSync|removeSync)\b|\bfs(\/promises)?["']?\)?\.rm\b|\brm\s*\([^)]*recursive/,
    "rm -r code",
  ],
  [/\b(fetch|axios|requests\.\w+|urlopen|https?\.(get|request)|Net::HTTP|LWP|file_get_contents)\b/, "curl"],
  [/\b(socket\.|createConnection|net\.connect|TCPSocket|smtplib|IO::Socket)/, "nc code.invalid"],
];

/** Command lines that stand for what the code does; empty for code that only reads. */
export function inlineCode({ program, args, command }: Invocation): string[] {
  const option = codeOption.get(program.replace(/[\d.]+$/, ""));
  if (!option) return [];
  const at = args.findIndex(({ text }) => option.test(text));
  const code = [...command.input, at < 0 ? "" : (args[at + 1]?.text ?? "")].join("\n");
  if (code.trim() === "") return [];
  const strings = [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`]*)`/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
  const urls = strings.filter((text) => /^[a-z]+:\/\//.test(text));
  const same = equivalents.flatMap(([pattern, line]) => {
    if (!pattern.test(code)) return [];
    return line === "curl" ? [urls.length > 0 ? urlLine(urls) : "curl code.invalid"] : [line];
  });
  const runsShell =
    /\b(system|subprocess|popen|exec\w*|spawn\w*|child_process|shell_exec|passthru)\b|`/i.test(code);
  // A list of arguments reads like the command it makes.
  return runsShell ? [...same, ...strings, strings.join(" ")] : same;
}

function urlLine(urls: readonly string[]): string {
  return `curl ${urls.map((url) => `'${url.replaceAll("'", "")}'`).join(" ")}`;
}
