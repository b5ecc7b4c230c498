// Installing: third-party code is downloaded from a registry and run. Packages listed in the project's own files need
// no permission.
import { asCode } from "../../shared/as-code.ts";
import type { Finding } from "./finding.ts";
import type { Invocation, Wrapper } from "./invocation.ts";
import { asModule } from "./module-call.ts";
import { readArguments, valuesOf } from "./options.ts";
import { everydayTools, installOptions, packageManagers } from "./package-managers.ts";
import type { Word } from "./shell-word.ts";

export function installs(call: Invocation): Finding[] {
  const byOption = installOptions.get(call.program);
  const option = byOption && call.args.find(({ text }) => byOption.test(text));
  return [
    ...call.wrappers.flatMap((wrapper) => fetchedTool(wrapper, call)),
    ...named(call),
    ...(option
      ? [
          fetches(
            call.program,
            option.text,
            call.args.filter(({ text }) => !text.startsWith("-")),
          ),
        ]
      : []),
  ];
}

/** Packages that the command names, other than paths in the workspace. */
function named(call: Invocation): Finding[] {
  const { program, args } = asModule(call);
  const rule = packageManagers.get(program.replace(/^pip[\d.]+$/, "pip"));
  if (!rule) return [];
  const read = readArguments(args, rule.spec);
  const words = read.operands.map(({ text }) => text);
  const depth = rule.verbs.find(({ pattern }) => pattern.test(words.join(" ")));
  if (!depth) return [];
  const packages = read.operands
    .slice(depth.words)
    .filter((word) => !isLocal(word) && (program !== "go" || words[0] === "get" || word.text.includes("@")));
  const withOption = valuesOf(read, "--with").filter((word) => !isLocal(word));
  const asksAlone = depth.asksAlone?.(read) ?? false;
  const all = [...packages, ...withOption];
  if (all.length === 0 && !depth.always && !asksAlone && !call.moreArgs) return [];
  return [fetches(program, words[0] ?? "", all)];
}

/** `npx X`, `uvx X`, `pnpm dlx X`: downloads the tool unless the project has installed it. */
function fetchedTool({ name, read }: Wrapper, { written }: Invocation): Finding[] {
  if (
    !/^(npx|npm exec|npm x|bunx|bun x|pnpx|uvx|pipx run|uv tool|(pnpm|yarn) dlx|uv run|nix (shell|develop))$/.test(
      name,
    )
  )
    return [];
  if (/^nix /.test(name)) {
    const flakes = read.operands
      .slice(0, 1)
      .filter(
        (word) =>
          (/[#:]/.test(word.text) || read.options.length === 0) &&
          !isLocal({ ...word, text: word.text.replace(/#.*/, "") }),
      );
    return flakes.length > 0 ? [fetches("nix", "shell", flakes)] : [];
  }
  const extra = valuesOf(read, "-p", "--package", "--with", "--from", "--spec");
  if (name === "uv run") return valuesOf(read, "--with").length > 0 ? [fetches("uv", "run", extra)] : [];
  // `uv tool` has its own verbs.
  if (name === "uv tool") {
    const [verb, ...rest] = read.operands;
    return /^(run|install|upgrade)$/.test(verb?.text ?? "") ? [fetches("uv", "tool", rest.slice(0, 1))] : [];
  }
  const isInstalled =
    /^(npx|npm exec|npm x|bunx|bun x)$/.test(name) &&
    (everydayTools.has(written) || read.options.some((option) => /^--no(-install)?$/.test(option.name)));
  const hasTool = written !== "" && (!isInstalled || /@(?!$)./.test(written.slice(1)));
  if (!hasTool && extra.length === 0) return [];
  const tool = { text: written, unknown: false, pattern: false, quoted: false, scripts: [] };
  return [fetches(name, "", extra.length > 0 ? extra : [tool])];
}

/** A path in the workspace, possibly with extras: `.`, `./pkg[dev]`, `dist/a.whl`. */
function isLocal({ text, unknown }: Word): boolean {
  return (
    !unknown &&
    /^(\.{0,2}\/?(\[[\w,-]+\])?$|\.{1,2}\/|\/|file:\.?[^.])|\.(tgz|tar\.gz|whl|gem)$/.test(text) &&
    !text.includes("://")
  );
}

function fetches(program: string, verb: string, packages: readonly Word[]): Finding {
  const names = packages.map(({ text }) => text).join(", ");
  return {
    risk: "remote",
    why:
      names === ""
        ? `${asCode(`${program} ${verb}`)} fetches programs and runs or installs them.`
        : `Fetches ${asCode(names)} from the network and runs or installs it.`,
    subcommand: `${verb} ${names}`.trim(),
  };
}
