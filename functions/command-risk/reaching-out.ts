// Commands that reach out: they contact another machine, publish, or change something there. Downloading packages and
// commits from the project's own registries and remotes does not count, because every build does it; installing.ts
// judges named packages.

import { asCode } from "../../shared/as-code.ts";
import { isLoopbackUrl, nameOf, otherHost } from "./address.ts";
import { unnamedHost } from "./code-patterns.ts";
import type { Finding } from "./finding.ts";
import { hostsOfDownload } from "./grant-scope.ts";
import { codeWords } from "./inline-code.ts";
import type { Invocation } from "./invocation.ts";
import { always, asking, copying, detours, sourceVariable, textual, toHost } from "./network-programs.ts";
import { type ReadArguments, readArguments, valuesOf } from "./options.ts";
import type { Word } from "./shell-word.ts";
import { possibleWords } from "./variables.ts";

export function reachesOut(call: Invocation): Finding[] {
  const { program } = call;
  const ways = toHost.get(program);
  const own =
    always.has(program) && !asksForHelp(call.args)
      ? [talks(`\`${program}\` talks to another machine.`, textOf(call.args))]
      : ways
        ? toHosts(call, ways)
        : [...copies(call), ...(textual.has(program) ? [] : addressed(call)), ...sendsMadeUp(call)];
  return [...own, ...fromVariables(call)];
}

/** curl, wget, ping and similar tools: every address must be on this machine. */
function toHosts(call: Invocation, ways: { spec: string; operands: "all" | "first" }): Finding[] {
  const { program, args, moreArgs, command } = call;
  if (asksForHelp(args)) return [];
  const read = readArguments(args, ways.spec);
  const detour = read.options.find(
    ({ name }) =>
      (/^wget/.test(program) && /^(-[eiBH]|--span-hosts)$/.test(name)) ||
      (detours.has(name) && !(name === "-x" && /^(ping|http)/.test(program))),
  );
  if (detour)
    return [talks(`\`${program}\` goes another way than its address says (${detour.name}).`, textOf(args))];
  const runs = /^n(c|cat|etcat)$/.test(program) && read.options.some(({ name }) => /^-[ecl]$/.test(name));
  if (runs)
    return [talks(`\`${program}\` listens for other machines, or gives them a program.`, textOf(args))];
  const operands = addresses(program, read.operands, ways.operands);
  const all = [
    ...operands,
    // `-b` of other tools is a cookie or an address of this machine.
    ...valuesOf(read, "--url", "-h", "--host", ...(program === "kcat" ? ["-b"] : [])),
  ].flatMap((word) => possibleWords(word, command).map(({ text }) => withVariables(text, command.variables)));
  const away = all.filter((text) => !isLoopbackUrl(text.replace(/^(tcp|udp)\w*-?\w*:/i, "")));
  if (all.length > 0 && away.length === 0 && !moreArgs) return [];
  if (away.includes(unnamedHost))
    return [talks("This code uses the network, at an address that is not written in it.", textOf(args))];
  const text = textOf(args);
  if (moreArgs || away.length === 0 || away.some((one) => /[$`]/.test(one.split(/[/?#]/, 3).join("/"))))
    return [talks(`\`${program}\` talks to an address that is only known when it runs.`, text)];
  const why = `\`${program}\` talks to ${inWords(away.map(nameOf))}.`;
  const hosts = hostsOfDownload(call, read);
  return [hosts === undefined ? talks(why, text) : { ...talks(why, hosts), named: true }];
}

function addresses(program: string, operands: readonly Word[], which: "all" | "first"): readonly Word[] {
  if (/^(dig|drill|kdig|delv|host|nslookup)$/.test(program))
    return operands.filter(({ text }) => !/^(\+|A$|AAAA$|ANY$|CNAME$|MX$|NS$|TXT$|SOA$|PTR$)/.test(text));
  if (program === "resolvectl") return operands.slice(1);
  const isHttpie = /^(https?|xhs?)$/.test(program);
  if (isHttpie) {
    const at = /^[A-Z]+$/.test(operands[0]?.text ?? "") ? 1 : 0;
    return operands
      .slice(at, at + 1)
      .map((word) => ({ ...word, text: word.text.replace(/^:(?=\d|\/|$)/, "localhost:") }));
  }
  return which === "first" ? operands.slice(0, 1) : operands;
}

/**
 * Replaces a variable with the value that the line assigns to it, if that is not a plain word and so may
 * change the host.
 */
function withVariables(text: string, variables: ReadonlyMap<string, readonly Word[]>): string {
  return text.replace(/\$\{?([A-Za-z_]\w*)\}?/g, (written, name: string) => {
    const values = variables.get(name);
    const odd = values?.find(({ text: value, unknown }) => !unknown && !/^[\w./-]*$/.test(value));
    return odd?.text ?? written;
  });
}

function copies({ program, args }: Invocation): Finding[] {
  if (!copying.has(program)) return [];
  const away = args.filter(({ text }) => /^[^-/][^/]*:/.test(text) && !/^[\w-]+=/.test(text));
  const hosts = away.map(({ text }) => nameOf(text.replace(/:.*/, "")));
  return hosts.length === 0
    ? []
    : [talks(`\`${program}\` copies to or from ${inWords(hosts)}.`, textOf(args))];
}

/** Any program that is given the address of another machine. */
function addressed(call: Invocation): Finding[] {
  const { program, args } = call;
  const spoken =
    program === "git" ? gitAddresses(args) : /^p?npm$/.test(program) && args[0]?.text === "pkg" ? [] : args;
  const code = codeWords(call);
  // `uv run https://…`: the program itself is an address, or an option of its wrapper contains one.
  const front = [call.written, ...call.wrappers.flatMap(({ read }) => valuesOfAll(read))];
  const named = front.flatMap((text) => otherHost(text, false) ?? [])[0];
  if (named !== undefined) return [talks(`\`${program}\` comes from the address ${asCode(named)}.`, named)];
  const bareNames = !/^(go|python[\d.]*|node|npm|gh|openssl|hugo)$/.test(program);
  const hosts = spoken
    .filter((word) => !code.includes(word) && !/\s/.test(word.text.trim()))
    .flatMap(({ text }) => otherHost(text, bareNames) ?? []);
  return hosts.length === 0
    ? []
    : [talks(`\`${program}\` is given the address ${inWords(hosts)}.`, textOf(args))];
}

/** In messages, searches and patterns of git, an address is only text. */
function gitAddresses(args: readonly Word[]): readonly Word[] {
  if (args.some(({ text }) => /^user\./.test(text))) return [];
  const talking = /^(clone|fetch|pull|ls-remote|remote|submodule|lfs|config|bundle)$/;
  return args.some(({ text }) => talking.test(text)) || args.some(({ text }) => /^-c/.test(text))
    ? args.filter((_, at) => !/^(-m|--message|--grep|-S|-G)$/.test(args[at - 1]?.text ?? ""))
    : [];
}

/** Words that are put together at run time and sent to a registry or a remote: they can carry any data. */
function sendsMadeUp({ program, args, moreArgs }: Invocation): Finding[] {
  const operands = readArguments(args, "C:c:").operands;
  const verb = operands[0]?.text ?? "";
  if (!asking.some((pattern) => pattern.test(`${program} ${verb}`))) return [];
  const made = args.find(({ unknown }) => unknown);
  return made || moreArgs
    ? [talks(`${asCode(`${program} ${verb}`)} sends what is only known when it runs.`, textOf(args))]
    : [];
}

/** `HTTPS_PROXY=…`, `GOPROXY=…`, and any address in a variable before a program. */
function fromVariables({ program, assignments }: Invocation): Finding[] {
  return assignments.flatMap(({ text, unknown }): Finding[] => {
    const at = text.indexOf("=");
    const [name, value] = [text.slice(0, at).replace(/\+$/, ""), text.slice(at + 1)];
    if (value === "") return [];
    const isSource = sourceVariable.test(name);
    if (program === "" && !isSource) return [];
    const host = otherHost(value, isSource);
    if (host !== undefined) return [talks(`Sets ${name} to the address ${asCode(host)}.`, text)];
    const harmless = !isSource || isLoopbackUrl(value);
    const names = unknown || /[.:/]/.test(value) || /HOST$/.test(name);
    return harmless || !names ? [] : [talks(`Sets ${name}, which says where programs fetch from.`, text)];
  });
}

function valuesOfAll({ options }: ReadArguments): string[] {
  return options.flatMap(({ value }) => value?.text ?? []);
}

function asksForHelp(args: readonly Word[]): boolean {
  return args.length === 1 && /^(--version|--help|-V|-help)$/.test(args[0]?.text ?? "");
}

function inWords(hosts: readonly string[]): string {
  return [...new Set(hosts)].map(asCode).join(" and ");
}

function talks(why: string, subcommand: string): Finding {
  return { risk: "remote", why, subcommand };
}

function textOf(args: readonly Word[]): string {
  return args.map(({ text }) => text).join(" ");
}
