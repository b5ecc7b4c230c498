// Commands that write, replace or move files, according to their arguments, and what that costs.
import { asCode } from "../../shared/as-code.ts";
import { asFileTool, withAddedFile } from "./file-tool.ts";
import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";
import { isTemporary } from "./no-way-back.ts";
import { valuesOf } from "./options.ts";
import { inGitFolder, isUnheld, pathKind, replaceReason, writeReason } from "./path-kind.ts";
import type { Word } from "./shell-word.ts";
import { possibleWords } from "./variables.ts";
import { writtenBy } from "./writers.ts";
import type { Written } from "./written.ts";

export function writes(given: Invocation): Finding[] {
  const call = asFileTool(given);
  const found = [...new Set([call, withAddedFile(call)])].flatMap((one) => {
    const own = writtenBy(one);
    return own ? reasons(own, one) : [];
  });
  return [...found, ...losesInPlace(call), ...reasons(namedInFront(call), call)];
}

/**
 * Files named by git's variables, to which git writes with any verb: its index, and a trace if the path is absolute.
 */
function namedInFront({ assignments, wrappers }: Invocation): Written {
  const given = wrappers.flatMap(({ read }) => read.options);
  const named = (pattern: RegExp) =>
    assignments.flatMap((word) => {
      const text = pattern.exec(word.text)?.[1];
      return text === undefined ? [] : [{ ...word, text }];
    });
  return {
    // `env -C .git rm HEAD`
    touched: [
      ...given.flatMap(({ value }) => value ?? []).filter(inGitFolder),
      ...named(/^GIT_(?:WORK_TREE|TRACE\w*)=((?:\/|~|\.\.).*)$/),
    ],
    replaced: [
      ...named(/^GIT_INDEX_FILE=(?!(?:\.git\/)?index\b)(.+)$/),
      // `time -o FILE make`
      ...wrappers
        .filter(({ name }) => /^(time|strace|ltrace|perf \w+)$/.test(name))
        .flatMap(({ read }) => valuesOf(read, "-o", "--output")),
    ],
  };
}

function reasons(
  { touched, leads = [], replaced = [], emptied = [] }: Written,
  { command }: Invocation,
): Finding[] {
  const several = (
    words: readonly Word[],
    reason: (word: Word) => string | undefined,
    isLost: (word: Word) => boolean = isUnheld,
  ) =>
    words
      .flatMap((word) => possibleWords(word, command))
      .flatMap((word) => {
        const why = reason(word);
        return why === undefined
          ? []
          : [
              {
                ...{ risk: "destructive" as const, why, subcommand: word.text },
                ...(isLost(word) ? { lost: true as const } : {}),
              },
            ];
      });
  return [
    ...several(touched, writeReason),
    ...several(leads, writeReason, inGitFolder),
    ...several(replaced, (word) => replaceReason(word, false)),
    ...several(emptied, (word) => replaceReason(word, true)),
  ];
}

/** Programs that replace the files they are given. */
function losesInPlace(call: Invocation): Finding[] {
  const { program, args } = call;
  const texts = args.map(({ text }) => text);
  const has = (pattern: RegExp) => texts.some((text) => pattern.test(text));
  const lost = (why: string): Finding[] => [{ risk: "destructive", why, subcommand: texts.join(" ") }];
  const last = texts.findLast((text) => !text.startsWith("-")) ?? "";
  if (
    program === "mv" &&
    // The target: the last word, or the value of `-t`.
    (/^\/(tmp|dev\/null)/.test(last) || has(/^(-\w*t|--target-directory=)\/(tmp|dev)/)) &&
    !(isTemporary(call) && texts.every((text) => !text.startsWith("-")))
  )
    return lost("Moves files to where they are gone when the command ends.");
  if (/^(gzip|bzip2|xz|zstd|lzma|lzip|compress)$/.test(program)) {
    const kept = has(/^-\w*[kcdtlV]|^--(keep|stdout|decompress|test|list|version|help)/);
    const isWhole = has(/^-\w*r|^--recursive/);
    const source = texts.find(
      (text) =>
        !text.startsWith("-") &&
        (pathKind(text) === "kept" ||
          ((isWhole || text.endsWith("*")) && pathKind(`${text}/`) !== "scratch")),
    );
    return !kept && source ? lost(`Packs ${asCode(source)} and removes it.`) : [];
  }
  if (program === "tar" && has(/^--(remove-files|delete|recursive-unlink)|^-?\w*P|^--absolute/))
    return lost("`tar` removes files, or writes outside the workspace.");
  if (program === "zip" && has(/^-\w*m|^--(move|delete)|^-d$/))
    return lost("`zip` removes the files that it packs.");
  if (/^7z?[ar]?$/.test(program) && has(/^-sdel$|^d$|^-o(\/|~|\.\.)/))
    return lost("`7z` removes files, or writes outside the workspace.");
  if (program === "csplit") return lost("`csplit` writes files over others.");
  if (/^ch(mod|own|grp)$/.test(program) && has(/^-\w*R|^--recursive/))
    return lost("Changes who may read or write whole folders.");
  return [];
}
