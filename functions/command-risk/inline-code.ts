// Code given to an interpreter on its command line: the shell commands that its text plainly shows.
// Not seen: anything that the code puts together, and all of it in script files. Most such code reads or
// computes, and asking every time would teach people to say yes; the jail holds where this is fooled.
import type { Invocation } from "./invocation.ts";

const interpreter =
  /^(i?python|pypy|node(js)?|tsx|deno|bun|perl|ruby|php|lua|julia|Rscript|osascript|tclsh|[gmn]?awk)[\d.]*$/;
/** The option before the code, or with the code behind it; awk's code is its first argument. */
const codeOption = /^(?:-[a-zA-Z0-9]*[eEcr]|-pe?|--?eval=?|--print|eval)([\s\S]*)$/;

/** Ways to delete a tree or to talk to another machine without a shell, and the command that says the same. */
const equivalents: readonly [RegExp, string][] = [
  [
    /\b(rmtree|remove_tree|remove_dir|rm_rf|rm_r|rmSync|rmdirSync|removeSync|Deno\.remove)\b|\bfs(\/promises)?["']?\)?\.rm\b|\brm\s*\([^)]*recursive/,
    "rm -r code",
  ],
  [
    /\b(fetch|axios|requests\.\w+|httpx|aiohttp|urlopen|https?[\w"')]*\.(get|request|client|connect)|Net::HTTP|HTTP::|LWP|URI\.open|file_get_contents|curl_init|WebSocket)\b/,
    "curl",
  ],
  [
    /\b(socket\b|createConnection|(net|tls)["')]*\.connect|TCPSocket|smtplib|IO::Socket|fsockopen|dgram)|\/inet\//i,
    "nc code.invalid",
  ],
];

/** Command lines that stand for what the code does; empty for code that only reads. */
export function inlineCode({ program, args, command }: Invocation): string[] {
  if (!interpreter.test(program)) return [];
  const texts = args.map(({ text }) => text);
  const given = texts.flatMap((text, at) => {
    const found = codeOption.exec(text);
    return found ? [found[1] ?? "", texts[at + 1] ?? ""] : [];
  });
  const piped = command.upstream?.words.map(({ text }) => text) ?? [];
  const code = [...command.input, ...piped, ...(program.endsWith("awk") ? texts : given)].join("\n");
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
    /\b(system|subprocess|popen|exec\w*|spawn\w*|child_process|shell_exec|passthru|do shell)\b|`|\|\s*(&\s*)?(getline|")/i.test(
      code,
    );
  // A list of arguments reads like the command it makes.
  return runsShell ? [...same, ...strings, strings.join(" ")] : same;
}

function urlLine(urls: readonly string[]): string {
  return `curl ${urls.map((url) => `'${url.replaceAll("'", "")}'`).join(" ")}`;
}
