// Decides whether a text in a plan is a runnable command or prose. If in doubt it is prose, because the engine runs
// commands automatically.
import { commandText } from "../plan-lines.ts";

const programs =
  "npm npx pnpm yarn bun bunx node deno tsc tsx jest vitest ava mocha eslint biome prettier xo playwright cypress turbo nx lerna make cmake ctest ninja cargo rustc go gofmt golangci-lint python python3 pytest tox nox ruff mypy black flake8 pip uv poetry hatch pdm ruby bundle rake rspec rubocop rails php composer phpunit artisan java mvn gradle gradlew mvnw sbt dotnet swift xcodebuild mix elixir gleam dart flutter zig stack cabal dune bazel just task pre-commit git grep egrep rg find ls cat head tail test [ curl wget jq sh bash zsh env echo diff wc sed awk terraform tofu helm kubectl docker docker-compose ansible-playbook shellcheck shfmt hadolint actionlint sqlite3 psql redis-cli cd export set source".split(
    " ",
  );
const known = new Set(programs);
/** Programs whose names are also English words: the next word decides. */
const words = new Set([
  "make",
  "go",
  "test",
  "find",
  "task",
  "just",
  "stack",
  "node",
  "head",
  "cat",
  "echo",
  "mix",
  "env",
  "black",
  "cypress",
  "set",
  "source",
  "export",
]);
/** Words of sentences that are never an argument of a command. */
const sentence = new Set(
  "the a an that is are should must work works sure it its passes pass succeeds succeed returns return shows show with into of every both still when no not by manually".split(
    " ",
  ),
);
const assignment = /^[A-Z_][A-Z0-9_]*=\S*\s+/;

/** Whether `text` begins with a known program or the path of a script, and does not read like a sentence. */
export function looksLikeCommand(text: string): boolean {
  const bare = text.trim().replace(/^!\s+/, "").replace(assignment, "").replace(assignment, "");
  const [first = "", second = ""] = bare.split(/\s+/);
  const path = /^(\.{1,2}\/|bin\/|scripts\/|\.venv\/|node_modules\/)[\w./-]+$/.test(first);
  if (!path && !known.has(first)) return false;
  if (words.has(first) && second === "" && first !== "make") return false;
  const unquoted = bare.replace(/(["'])(?:\\.|(?!\1).)*\1/g, "''");
  return (
    !unquoted
      .toLowerCase()
      .split(/\s+/)
      .some((word) => sentence.has(word)) && !/[!?]$|[A-Za-z)]\.$/.test(unquoted)
  );
}

/**
 * The command after `Check:` or `Verify:`: the whole text, or its parts in backticks joined with `&&`. Undefined if it
 * is prose.
 */
export function commandIn(text: string): string | undefined {
  const whole = /^`{1,2}([^`]+)`{1,2}[.;]?$/.exec(text.trim())?.[1]?.trim();
  if (whole !== undefined)
    return /\s|\.sh$/.test(whole) || looksLikeCommand(whole) ? commandText(whole) : undefined;
  const spans = [...text.matchAll(/`([^`]+)`/g)].map((match) => (match[1] ?? "").trim());
  const commands = spans.filter(looksLikeCommand);
  if (commands.length > 0) return commandText(commands.join(" && "));
  const bare = text.trim().replace(/^(run|execute)\s*:?\s+/i, "");
  return looksLikeCommand(bare) ? commandText(bare) : undefined;
}

/** The commands of a fenced block: its lines without prompts and comments; undefined if it is not shell code. */
export function commandsOfCode(code: readonly string[]): string[] | undefined {
  const language = /^\s*(?:```|~~~)\s*(\w*)/.exec(code[0] ?? "")?.[1]?.toLowerCase() ?? "";
  const lines = code
    .slice(1)
    .filter((line) => !/^\s*(```|~~~)/.test(line))
    .map((line) => line.trim().replace(/^\$\s+/, ""))
    .filter((line) => line !== "" && !line.startsWith("#"));
  const shell = ["bash", "sh", "shell", "console", "zsh"].includes(language);
  if (lines.length === 0 || (!shell && !(language === "" && lines.every(looksLikeCommand)))) return undefined;
  return lines.every(looksLikeCommand) ? lines : [lines.join("\n")];
}
