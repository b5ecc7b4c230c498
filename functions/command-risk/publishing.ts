// Commands that change something on another machine: packages, releases, deployments, pull requests.
import { asCode } from "../../shared/as-code.ts";
import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";
import { readArguments } from "./options.ts";

/** Any program or task with such a verb sends something. */
const publishes = /^((un)?publi?s?h?|deploy|upload|push|--push|hex\.publish|s_client)$/;
/** Programs for which such words are the names of files, tests or packages. */
const takesNames =
  /^(cd|ls|cat|mkdir|rm|cp|mv|touch|echo|printf|[ef]?grep|rg|find|head|tail|wc|tree|stat|chmod|\[+|man|which|git|pushd|for|.*(test|jest|mocha))$/;
const takesName = /^(t|test|install|remove|view|help)$/;
/** Registries, and their verbs that change accounts and packages. */
const registry = /^(npm|cargo|gem|yarn|pnpm)$/;
const changesRegistry = /^(pub|login|adduser|owner|deprecate|dist-tag|access|token|yank|star|hook)$/;
/** Verbs with which `gh THING VERB` only reads. */
const ghReads = new Set([
  "view",
  "list",
  "diff",
  "checks",
  "status",
  "checkout",
  "clone",
  "download",
  "watch",
]);

/** Scripts whose names say that they publish. */
const publishingScript = /(^|\/)(release|publish|deploy)(-\w+)?\.(sh|bash|py|[cm]?[jt]s|rb)$/;
const runsScripts = /^((ba|z|da|k)?sh|python[\d.]*|node|tsx|bun|deno|ruby|source|\.)$/;

export function changesElsewhere({ program, args }: Invocation): Finding[] {
  const texts = args.map(({ text }) => text);
  const script = runsScripts.test(program) ? (texts.find((text) => !/^-|^run$/.test(text)) ?? "") : program;
  // `bash -n` only parses the script.
  if (publishingScript.test(script) && !texts.includes("-n")) return [changes(program, texts.join(" "))];
  const plain = texts.filter((text) => !/^[-+]/.test(text));
  if (/^(gh|glab|hub|tea)$/.test(program)) return reads(program, args) ? [] : onForge(program, plain);
  // It is a dry run only if none of the words can be a value or follow `--`.
  const isDry = texts.at(-1) === "--dry-run" && !texts.at(-2)?.startsWith("-");
  if (isDry || (registry.test(program) && texts[1] === "--dry-run" && !texts.includes("--"))) return [];
  if (takesNames.test(program) || takesName.test(plain[0] ?? "")) return [];
  // The verb may follow options with their values, or `run`, `image`, `workspace NAME`.
  const verb = [...plain.slice(0, 3), ...texts.filter((text) => text === "--push")].find(
    (text) => publishes.test(text) || (registry.test(program) && changesRegistry.test(text)),
  );
  return verb === undefined ? [] : [changes(program, verb)];
}

/** `gh api PATH` is a GET request unless it has fields, a method or a body: https://cli.github.com/manual/gh_api */
function reads(program: string, [verb, ...args]: Invocation["args"]): boolean {
  if (program !== "gh" || verb?.text !== "api" || args.some(({ unknown }) => unknown)) return false;
  const { options, operands } = readArguments(args, "q:t:p:X:F:f:H:jq:template:cache:preview:");
  const isRead = options.every(({ name }) =>
    /^(-[qtip]|--(jq|template|paginate|slurp|silent|include|cache|preview))$/.test(name),
  );
  return isRead && operands.length === 1 && /^\/?(?!graphql)[\w./{}-]+$/.test(operands[0]?.text ?? "");
}

function onForge(program: string, plain: readonly string[]): Finding[] {
  const [thing = "", verb = ""] = plain;
  const isReading = thing === "" || thing === "status" || thing === "search" || ghReads.has(verb);
  return isReading ? [] : [changes(program, `${thing} ${verb}`.trim())];
}

function changes(program: string, subcommand: string): Finding {
  return {
    risk: "remote",
    why: `${asCode(`${program} ${subcommand}`)} changes something outside this workspace.`,
    subcommand,
  };
}
