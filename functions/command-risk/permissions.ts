// Which commands need a person's word first (PROTOCOL 6): destroying things, or reaching out. Judged by the parsed
// command line; what programs and script files do inside is not seen, and the jail does not rely on any of it.
import type { Grant } from "../../shared/grant.ts";
import type { Mode } from "../../shared/mode.ts";
import { parseCommandLine, type SimpleCommand } from "./command-line.ts";
import { destroys } from "./destroying.ts";
import type { Finding } from "./finding.ts";
import { gitRisk, gitScripts } from "./git-command.ts";
import { innerScripts } from "./inner-scripts.ts";
import { type Invocation, invocationsOf } from "./invocation.ts";
import { leavesWorkspace, socketHost } from "./outside-path.ts";
import { isLoopback, reachesOut } from "./reaching-out.ts";

export interface CommandRisk extends Finding {
  program: string;
}

/** Command lines inside command lines that are looked into; nobody writes deeper ones for people to read. */
const maxDepth = 5;

/** Every risk of a command line, worst first: reaching out before destroying. Empty = none known. */
export function commandRisks(command: string): CommandRisk[] {
  const found = risksOfLine(command, 0);
  return [...found.filter(({ risk }) => risk === "remote"), ...found.filter(({ risk }) => risk !== "remote")];
}

/**
 * What `mode` asks for and no grant covers: the worst risk, with the reasons of all. Normal asks for both
 * kinds, auto for reaching out and for what may be that; in plan mode the sandbox is read-only and has no network.
 */
export function riskToAsk(command: string, mode: Mode, granted: readonly Grant[]): CommandRisk | undefined {
  if (mode === "plan") return undefined;
  const asked = commandRisks(command).filter(
    (found) =>
      (mode === "normal" || found.risk === "remote" || found.unknown) &&
      !granted.some((grant) => covers(grant, found)),
  );
  const [worst] = asked;
  return worst ? { ...worst, why: [...new Set(asked.map(({ why }) => why))].join(" ") } : undefined;
}

/** What `mode` asks for of several commands and no grant covers, worst first. */
export function risksToAsk(
  commands: readonly string[],
  mode: Mode,
  granted: readonly Grant[],
): (CommandRisk & { command: string })[] {
  const asked = commands.flatMap((command) => {
    const found = riskToAsk(command, mode, granted);
    return found ? [{ ...found, command }] : [];
  });
  return [...asked.filter(({ risk }) => risk === "remote"), ...asked.filter(({ risk }) => risk !== "remote")];
}

function covers(grant: Grant, found: CommandRisk): boolean {
  return (
    grant.risk === found.risk && grant.program === found.program && grant.subcommand === found.subcommand
  );
}

function risksOfLine(line: string, depth: number): CommandRisk[] {
  if (depth > maxDepth) return [notKnown(line, "It is nested too deeply to be read.")];
  const { ok, commands } = parseCommandLine(line);
  const found = commands.flatMap((command) => [...redirectRisks(command), ...risksOfCommand(command, depth)]);
  return ok ? found : [...found, notKnown(line, "Its quoting does not close, so what it does is not known.")];
}

/** A grant of something unknown covers only the same text again. */
function notKnown(text: string, why: string): CommandRisk {
  return { risk: "destructive", unknown: true, why, program: "?", subcommand: text };
}

function risksOfCommand(command: SimpleCommand, depth: number): CommandRisk[] {
  return invocationsOf(command).flatMap((call) => {
    const { scripts, hidden } = innerScripts(call);
    const inner = [...scripts, ...(call.program === "git" ? gitScripts(call) : [])];
    return [...ownRisks(call, hidden), ...inner.flatMap((script) => risksOfLine(script, depth + 1))];
  });
}

function ownRisks(call: Invocation, hidden: string | undefined): CommandRisk[] {
  const { program, unknown, command } = call;
  if (unknown) return [notKnown(textOf(command), "The program it runs is made up at run time.")];
  const findings = [
    ...(hidden === undefined ? [] : [notKnown(textOf(command), hidden)]),
    ...(program === "git" ? [gitRisk(call)] : [reachesOut(call), destroys(call)]),
  ];
  return findings.flatMap((finding) => (finding ? { program, ...finding } : []));
}

function redirectRisks({ redirects }: SimpleCommand): CommandRisk[] {
  return redirects.flatMap(({ to, target: { text } }): CommandRisk[] => {
    const host = socketHost(text);
    if (host !== undefined) {
      const why = "It opens a connection to another machine.";
      return isLoopback(host) ? [] : [{ risk: "remote", why, program: "/dev/tcp", subcommand: "" }];
    }
    if (!to || !leavesWorkspace(text)) return [];
    return [
      {
        risk: "destructive",
        why: `It writes to ${text}, outside the workspace.`,
        program: ">",
        subcommand: text,
      },
    ];
  });
}

function textOf({ words }: SimpleCommand): string {
  return words.map(({ text }) => text).join(" ");
}
