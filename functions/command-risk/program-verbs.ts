// Judges programs by their verbs and options, with the tables of tool-verbs.ts.
import { asCode } from "../../shared/as-code.ts";
import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";
import { asModule, asProjectTool, type ModuleCall } from "./module-call.ts";
import { readArguments } from "./options.ts";
import { pathKind } from "./path-kind.ts";
import { changesLater, commitsToo, losesWork, sendsOut, type ToolRule } from "./tool-verbs.ts";

export function judgedByVerb(call: Invocation): Finding[] {
  const own = asProjectTool(asModule(call));
  const words = own.args.map(({ text }) => text);
  const said = words.join(" ");
  const shown = asCode(`${own.program} ${said}`);
  if (/^(--?version|--?help|-V|-h)$/.test(said)) return [];
  const found: Finding[] = [];
  if (fits(losesWork, own) || clearsFolder(own))
    found.push({
      risk: "destructive",
      // Reversing a patch loses nothing, because a snapshot contains the files that it changes.
      ...(fits(losesWork, own) && own.program !== "patch" ? { lost: true } : {}),
      why: `${shown} throws away work or data.`,
      subcommand: said,
    });
  if (fits(sendsOut, own) || fits(sendsOut, call) || asksNames(own) || connects(own))
    found.push({
      risk: "remote",
      why: `${shown} talks to another machine.`,
      subcommand: said,
    });
  if (fits(commitsToo, call) || fits(commitsToo, own))
    found.push({
      risk: "destructive",
      why: `${shown} makes a commit, and you asked for none.`,
      subcommand: said,
      commits: true,
    });
  if (fits(changesLater, own))
    found.push({
      risk: "destructive",
      unknown: true,
      why: `${shown} changes settings outside the workspace, for all later commands.`,
      subcommand: said,
    });
  return found;
}

function fits(rules: readonly ToolRule[], { program, args }: ModuleCall): boolean {
  return rules.some(({ programs, spec, verb, option }) => {
    if (!programs.test(program)) return false;
    const operands = readArguments(args, spec).operands.map(({ text }) => text);
    return verb.test(operands.join(" ")) && (!option || args.some(({ text }) => option.test(text)));
  });
}

/** Options that first empty or remove a folder. Folders that every build creates again are harmless. */
function clearsFolder({ program, args }: ModuleCall): boolean {
  const texts = args.map(({ text }) => text);
  const [first = "", second = ""] = texts;
  const isEmptied =
    (/^(venv|virtualenv)$/.test(program) && texts.some((text) => /^--cl\w*$/.test(text))) ||
    (program === "uv" && first === "venv" && texts.includes("--clear")) ||
    (program === "cmake" && first === "-E" && second === "remove_directory");
  const folders = texts.slice(program === "cmake" ? 2 : program === "uv" ? 1 : 0);
  return isEmptied && folders.some((text) => !text.startsWith("-") && pathKind(`${text}/x`) !== "scratch");
}

/** Names that are looked up by a resolver: a name can carry any data. */
function asksNames({ program, args }: ModuleCall): boolean {
  if (program !== "getent") return false;
  const [database = "", ...keys] = readArguments(args, "s:service:").operands.map(({ text }) => text);
  return (
    /^(ahosts(v[46])?|hosts|networks|netgroup)$/.test(database) &&
    keys.some((key) => !/^(localhost|127(\.\d+){3}|::1)$/.test(key))
  );
}

/** `openssl s_client -connect HOST` and similar commands. */
function connects({ program, args }: ModuleCall): boolean {
  const texts = args.map(({ text }) => text);
  return (
    program === "openssl" &&
    texts.some(
      (text, at) =>
        /^--?(connect|host|server|url|proxy|tls_host|crl_download)$/.test(text) &&
        !/^(https?:\/\/)?(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|$)/.test(texts[at + 1] ?? ""),
    )
  );
}
