// The entrance of this folder. It decides which commands need permission (PROTOCOL 6), because they destroy things or
// reach out. It reads the command line only: the contents of programs and script files are not seen. The jail does not
// depend on any of this.

import { asCode } from "../../shared/as-code.ts";
import type { ExactCommand, Grant } from "../../shared/grant.ts";
import type { Mode } from "../../shared/mode.ts";
import { hiddenIn } from "../../shared/visible-text.ts";
import { isLoopbackUrl } from "./address.ts";
import { parseCommandLine } from "./command-line.ts";
import { usesDatabase } from "./databases.ts";
import { destroys } from "./destroying.ts";
import { editorRisk } from "./editor-settings.ts";
import type { CommandRisk, Finding } from "./finding.ts";
import { foreignCode } from "./foreign-code.ts";
import { gitRisks, gitScripts } from "./git-command.ts";
import { meansTheSame } from "./grant-scope.ts";
import { innerScripts } from "./inner-scripts.ts";
import { installs } from "./installing.ts";
import { type Invocation, invocationsOf } from "./invocation.ts";
import { listensForOthers } from "./listening.ts";
import { runsElsewhere } from "./machines.ts";
import { networkNeed } from "./needs-network.ts";
import { socketHost } from "./outside-path.ts";
import { isUnheld, replaceReason, writeReason } from "./path-kind.ts";
import { pipedInto } from "./piped-into.ts";
import { endsOrChanges } from "./processes.ts";
import { judgedByVerb } from "./program-verbs.ts";
import { changesElsewhere } from "./publishing.ts";
import { reachesOut } from "./reaching-out.ts";
import { reasonsInWords } from "./reasons.ts";
import { runsUnseen } from "./runs-programs.ts";
import type { SimpleCommand } from "./simple-command.ts";
import { possibleWords, temporaryFolders } from "./variables.ts";
import { writes } from "./writing.ts";

export type { CommandRisk } from "./finding.ts";
// The folder's other exports, imported first because the linter forbids "export … from".
export { editorRisk, networkNeed, pipedInto };

/**
 * How many levels of command lines inside command lines are examined; people do not write deeper ones for others to
 * read.
 */
const maxDepth = 5;
/** The most commands of a line, and words of a command: some rules compare every word with every other. */
const maxParts = 1_000;

/**
 * Every risk of a command line, worst first: reaching out before destroying. Empty = none known. `cwd`: the folder it
 * runs in, relative to the workspace.
 */
export function commandRisks(command: string, cwd = ""): CommandRisk[] {
  return allRisks(command, cwd).filter(({ commits }) => !commits);
}

/** Includes commits that the line makes. */
function allRisks(command: string, cwd = ""): CommandRisk[] {
  const only = exactly(command, cwd);
  const risks = [...disguised(command), ...risksOfLine(command, 0)];
  const isOpen = risks.some(({ named }) => named) && meansTheSame(only);
  const found = risks.map((one) => (one.named && isOpen ? one : { ...one, only }));
  return worstFirst(found);
}

function exactly(command: string, cwd = ""): ExactCommand {
  return { command, cwd: cwd === "." ? "" : cwd };
}

function worstFirst<T extends Finding>(found: T[]): T[] {
  const rank = ({ risk }: Finding) => (risk === "remote" ? 0 : 1);
  return found.sort((one, other) => rank(one) - rank(other));
}

/**
 * What `mode` asks about and no grant covers: the worst risk, with the reasons of all. Normal mode asks about both
 * kinds of risk. Auto mode asks about reaching out and anything that may reach out, about losses that no snapshot can
 * undo, and about commits unless the person asked for some (`commits`). In plan mode the sandbox is read-only and has
 * no network.
 */
export function riskToAsk(
  command: string,
  mode: Mode,
  granted: readonly Grant[],
  cwd?: string,
  commits = true,
): CommandRisk | undefined {
  if (mode === "plan") return undefined;
  const here = exactly(command, cwd);
  const asked = (commits ? commandRisks : allRisks)(command, cwd).filter(
    (found) =>
      (mode === "normal" ? !found.commits : isAskedInAuto(found)) &&
      !granted.some((grant) => covers(grant, found, here)),
  );
  const [worst] = asked;
  return worst ? { ...worst, why: reasonsInWords(asked.map(({ why }) => why)) } : undefined;
}

function isAskedInAuto({ risk, unknown, lost, commits }: Finding): boolean {
  return risk === "remote" || [unknown, lost, commits].includes(true);
}

/** The same for several commands, worst first. */
export function risksToAsk(
  commands: readonly string[],
  mode: Mode,
  granted: readonly Grant[],
  cwd?: string,
  commits = true,
): (CommandRisk & { command: string })[] {
  return worstFirst(
    commands.flatMap((command) => {
      const found = riskToAsk(command, mode, granted, cwd, commits);
      return found ? [{ ...found, command }] : [];
    }),
  );
}

/** A grant of an exact command line covers every finding of that risk in it, because the person saw the whole line. */
function covers({ risk, program, subcommand, only }: Grant, found: CommandRisk, here: ExactCommand): boolean {
  if (risk !== found.risk) return false;
  if (only) return only.command === here.command && only.cwd === here.cwd;
  return !found.only && program === found.program && subcommand === found.subcommand;
}

/** Characters that make the command look different from what runs. */
function disguised(command: string): CommandRisk[] {
  const names = hiddenIn(command).filter((name) => name.startsWith("U+"));
  if (names.length === 0) return [];
  const why = `Holds characters that do not show (${names.join(", ")}): what you read may not be what runs.`;
  return [notKnown(command, why)];
}

function risksOfLine(line: string, depth: number): CommandRisk[] {
  if (depth > maxDepth) return [notKnown(line, "It is nested too deeply to be read.")];
  const { ok, commands } = parseCommandLine(line);
  if (commands.length > maxParts || commands.some(({ words }) => words.length > maxParts))
    return [notKnown(line, "It is too long to be read.")];
  const found = commands.flatMap((command) => [...redirectRisks(command), ...risksOfCommand(command, depth)]);
  return ok ? found : [...found, notKnown(line, "Its quoting does not close, so what it does is not known.")];
}

function notKnown(text: string, why: string): CommandRisk {
  return { risk: "destructive", unknown: true, why, program: "?", subcommand: text };
}

function risksOfCommand(command: SimpleCommand, depth: number): CommandRisk[] {
  return invocationsOf(command).flatMap((call) => {
    const { scripts, hidden } = innerScripts(call);
    const inner = [...scripts, ...(call.program === "git" ? gitScripts(call) : [])];
    // `trap` and `eval` run their text in this shell, where the variables of the line are set.
    const known = /^(trap|eval)$/.test(call.program) ? temporaryFolders(command) : "";
    const within = inner.flatMap((script) => risksOfLine(known + script, depth + 1));
    // Inside another command, a grant covers the exact line and not only the hosts that were found in it.
    return [...ownRisks(call, hidden), ...within.map(({ named: _, ...found }) => found)];
  });
}

/** Every rule about one program and its arguments. */
const rules: readonly ((call: Invocation) => Finding[])[] = [
  reachesOut,
  changesElsewhere,
  installs,
  runsElsewhere,
  usesDatabase,
  runsUnseen,
  foreignCode,
  endsOrChanges,
  judgedByVerb,
  listensForOthers,
  writes,
  destroys,
];

function ownRisks(call: Invocation, hidden: string | undefined): CommandRisk[] {
  const { program, unknown, command } = call;
  if (unknown) return [notKnown(textOf(command), "The program it runs is made up at run time.")];
  const findings = [
    ...(hidden === undefined ? [] : [notKnown(textOf(command), hidden)]),
    ...(program === "git" ? gitRisks(call) : []),
    ...rules.flatMap((rule) => rule(call)),
  ];
  return findings.map((finding) => ({ program, ...finding }));
}

function redirectRisks(command: SimpleCommand): CommandRisk[] {
  return command.redirects.flatMap(({ to, replaces, target }): CommandRisk[] => {
    const host = socketHost(target.text);
    if (host !== undefined) {
      const why = `Opens a connection to ${asCode(host)}.`;
      return isLoopbackUrl(host) ? [] : [{ risk: "remote", why, program: "/dev/tcp", subcommand: host }];
    }
    if (!to) return [];
    const reasons = possibleWords(target, command).flatMap(
      (word) =>
        (replaces ? replaceReason(word, isEmpty(command), showsText(command)) : writeReason(word)) ?? [],
    );
    const lost = isUnheld(target) ? { lost: true as const } : {};
    return reasons.map((why) => ({
      ...{ risk: "destructive", why, program: ">", subcommand: target.text },
      ...lost,
    }));
  });
}

/** `: > f`, `> f`, `cat /dev/null > f`: nothing is put into the file. */
function isEmpty({ words, input, redirects, upstream }: SimpleCommand): boolean {
  const plain = words.filter(({ text }) => !/^([{}!]|do|then|else)$/.test(text)).map(({ text }) => text);
  const [program = ":", ...args] = plain;
  if (/^(:|true|false|exec|set)$/.test(program)) return true;
  if (/^(echo|printf)$/.test(program)) return args.every((text) => /^(-[neE]+)?$/.test(text));
  if (!/^(cat|tee|head|dd)$/.test(program)) return false;
  const reads = redirects.some(({ to, target }) => !to && target.text !== "/dev/null");
  if (input.length > 0) return input.every((text) => text.trim() === "");
  return args.filter((text) => text !== "/dev/null").length === 0 && !reads && !upstream;
}

/** A here-document shows the whole new content of the file, like `write_file`. */
function showsText({ words, input }: SimpleCommand): boolean {
  return words.length === 1 && words[0]?.text === "cat" && input.length > 0;
}

function textOf({ words }: SimpleCommand): string {
  return words.map(({ text }) => text).join(" ");
}
