// The files that programs write, replace or move, according to their arguments.

import { editedInPlace } from "./in-place.ts";
import type { Invocation } from "./invocation.ts";
import { isOn, readArguments, valuesOf } from "./options.ts";
import { inGitFolder } from "./path-kind.ts";
import { sedWrites } from "./sed-script.ts";
import type { Word } from "./shell-word.ts";
import type { Written } from "./written.ts";

const all = (spec: string) => (read: Invocation) => ({ touched: readArguments(read.args, spec).operands });

/** The files that each program writes, according to its arguments. */
const writers: Record<string, (call: Invocation) => Written> = {
  touch: all("d:r:t:date:reference:time:"),
  mkdir: all("m:mode:"),
  chmod: (call) => ({ touched: readArguments(call.args, "reference:").operands.slice(1) }),
  chown: (call) => ({ touched: readArguments(call.args, "reference:from:").operands.slice(1) }),
  chgrp: (call) => ({ touched: readArguments(call.args, "reference:").operands.slice(1) }),
  rm: all(""),
  rmdir: all(""),
  unlink: all(""),
  tee: (call) => {
    const read = readArguments(call.args, "append output-error?");
    const replaced = isOn(read, ["-a", "--append"]) ? [] : read.operands;
    const shown = call.command.input.some((text) => text.trim() !== "");
    const isEmpty = call.command.upstream?.words[0]?.text === ":" || readsNothing(call);
    return { touched: read.operands, ...(isEmpty ? { emptied: replaced } : shown ? {} : { replaced }) };
  },
  truncate: (call) => ({
    touched: [],
    emptied: readArguments(call.args, "s:r:o?size:reference:").operands,
  }),
  dd: (call) => {
    const target = call.args.find(({ text }) => text.startsWith("of="));
    return { touched: [], emptied: target ? [{ ...target, text: target.text.slice(3) }] : [] };
  },
  cp: copied,
  install: copied,
  mv: copied,
  ln: linked,
  rsync: (call) => ({ touched: readArguments(call.args, rsyncSpec).operands.slice(-1) }),
  sed: (call) => sedWrites(call.args),
  perl: (call) => editedInPlace(call.args),
  ruby: (call) => editedInPlace(call.args),
  sort: (call) => {
    const read = readArguments(
      call.args,
      "k:t:S:T:o:key:field-separator:output:buffer-size:temporary-directory:compress-program:files0-from:parallel:batch-size:",
    );
    return { touched: [], replaced: valuesOf(read, "-o", "--output") };
  },
  shuf: (call) => into(call, "i:n:o:input-range:head-count:output:random-source:", "-o", "--output"),
  iconv: (call) => into(call, "f:t:o:from-code:to-code:output:", "-o", "--output"),
  gcc: compiled,
  cc: compiled,
  clang: compiled,
  "g++": compiled,
  "clang++": compiled,
  sponge: (call) => {
    const read = readArguments(call.args, "");
    if (isOn(read, ["-a"])) return { touched: read.operands };
    return {
      touched: [],
      ...(readsNothing(call) ? { emptied: read.operands } : { replaced: read.operands }),
    };
  },
  fallocate: (call) => {
    const read = readArguments(
      call.args,
      "l:o:length:offset:punch-hole zero-range collapse-range insert-range",
    );
    const isEmptied = isOn(read, [
      "-p",
      "-z",
      "-c",
      "-i",
      "--punch-hole",
      "--zero-range",
      "--collapse-range",
      "--insert-range",
    ]);
    return isEmptied ? { touched: [], emptied: read.operands } : { touched: read.operands };
  },
  uniq: (call) => ({
    touched: [],
    replaced: readArguments(call.args, "f:s:w:skip-fields:skip-chars:check-chars:").operands.slice(1),
  }),
  find: (call) => ({
    touched: call.args.some(({ text }) => /^-(exec|ok|delete)/.test(text)) ? gitPaths(call.args) : [],
    emptied: after(call.args, /^-(fprint0?|fprintf|fls)$/),
  }),
  curl: (call) => ({
    touched: [],
    replaced: valuesOf(
      readArguments(call.args, "o:D:c:H:X:d:output:dump-header:cookie-jar:trace:header:request:data:"),
      "-o",
      "--output",
      "-D",
      "--dump-header",
      "-c",
      "--cookie-jar",
      "--trace",
    ),
  }),
  wget: (call) => ({
    touched: gitPaths(call.args),
    replaced: valuesOf(
      readArguments(call.args, "o:O:P:output-document:output-file:directory-prefix:header:tries:timeout:"),
      "-O",
      "--output-document",
      "-o",
      "--output-file",
    ),
  }),
  tar: (call) => ({
    touched: valuesOf(
      readArguments(oldStyle(call.args), "f:C:file:directory:T:X:I:exclude:transform:strip-components:"),
      "-C",
      "--directory",
    ),
    replaced: isOn(readArguments(oldStyle(call.args), "f:C:"), ["-c", "--create"])
      ? valuesOf(readArguments(oldStyle(call.args), "f:C:file:directory:I:"), "-f", "--file")
      : [],
  }),
  split: (call) => ({
    touched: [],
    replaced: readArguments(call.args, "a:b:C:l:n:t:").operands.slice(1),
  }),
  // `git apply`, `git am`, `git format-patch`
  git: (call) => ({
    touched: valuesOf(
      readArguments(call.args, "o:directory:output-directory:"),
      "-o",
      "--directory",
      "--output-directory",
    ),
  }),
  unzip: (call) => ({ touched: valuesOf(readArguments(call.args, "d:x:P:"), "-d") }),
  openssl: (call) => ({ touched: [], replaced: after(call.args, /^-(out|keyout|writerand)$/) }),
  patch: (call) => ({
    touched: [
      ...gitPaths(call.args),
      ...valuesOf(
        readArguments(call.args, "d:o:p:i:directory:output:strip:input:"),
        "-d",
        "--directory",
        "-o",
        "--output",
      ),
    ],
  }),
  jupyter: converted,
  "jupyter-nbconvert": converted,
  // Of Python; their names come from `asModule`.
  nbconvert: converted,
  zipfile: archived,
  tarfile: archived,
  "json.tool": (call) => ({
    touched: [],
    replaced: readArguments(call.args, "indent:").operands.slice(1),
  }),
  cd: entered,
  pushd: entered,
};

const rsyncSpec =
  "e:f:B:M:T:rsh:exclude:include:exclude-from:include-from:files-from:filter:backup-dir:suffix:partial-dir:log-file:bwlimit:timeout:rsync-path:chmod:chown:compare-dest:copy-dest:link-dest:max-size:min-size:port:out-format:info:temp-dir:";

function into({ args }: Invocation, spec: string, ...options: string[]): Written {
  return { touched: [], replaced: valuesOf(readArguments(args, spec), ...options) };
}

/** A compiler whose output goes to a source file. */
function compiled(call: Invocation): Written {
  return into(call, "o:I:L:l:D:x:", "-o");
}

/** https://nbconvert.readthedocs.io/en/latest/config_options.html */
function converted({ args }: Invocation): Written {
  const read = readArguments(args, "to:config:template:output:output-dir:NbConvertApp.output_base:");
  const format = valuesOf(read, "--to").at(-1)?.text ?? "html";
  const ending = /^(script|python)$/.test(format) ? ".py" : format === "notebook" ? ".ipynb" : `.${format}`;
  const named = valuesOf(read, "--output", "--NbConvertApp.output_base");
  return {
    touched: valuesOf(read, "--output-dir"),
    replaced: named.flatMap((word) => [word, { ...word, text: word.text + ending }]),
  };
}

/** Entering git's folder changes the meaning of later paths. Entering any other folder is harmless. */
function entered({ args }: Invocation): Written {
  return { touched: gitPaths(args) };
}

function gitPaths(args: readonly Word[]): Word[] {
  return args.filter(inGitFolder);
}

/** `-e ARCHIVE FOLDER`, `-c ARCHIVE FILES`: https://docs.python.org/3/library/zipfile.html#command-line-interface */
function archived({ args }: Invocation): Written {
  const read = readArguments(args, "metadata-encoding:filter:");
  const isMade = isOn(read, ["-c", "--create"]);
  return isMade ? { touched: [], replaced: read.operands.slice(0, 1) } : { touched: read.operands.slice(1) };
}

/** The arguments with a dash before the letters of `tar xzf`. */
function oldStyle(args: readonly Word[]): readonly Word[] {
  const [first, ...rest] = args;
  return first && /^[a-zA-Z]+$/.test(first.text)
    ? [{ ...first, text: `-${first.text.replace("f", "")}f` }, ...rest]
    : args;
}

function readsNothing({ command }: Invocation): boolean {
  return command.redirects.some(({ to, target }) => !to && target.text === "/dev/null");
}

/**
 * `cp`, `mv`, `install`: the target is the last operand or `-t`. A copy of a device such as `/dev/null` empties the
 * target, and a copy with force replaces it.
 */
function copied({ program, args }: Invocation): Written {
  const read = readArguments(
    args,
    "t:S:g:m:o:target-directory:suffix:mode:owner:group:backup?remove-destination",
  );
  const inOption = valuesOf(read, "-t", "--target-directory");
  const target = inOption.length > 0 ? inOption : read.operands.slice(-1);
  const moved = program === "mv" ? read.operands : [];
  const isMade = program === "install" && isOn(read, ["-d", "--directory"]);
  if (isMade) return { touched: read.operands };
  const touched = [...target, ...moved];
  if (read.operands.some(({ text }) => text.startsWith("/dev/"))) return { touched, emptied: target };
  if (isOn(read, ["--remove-destination"])) return { touched, emptied: target };
  const isForced =
    program === "install" || isOn(read, ["-f", "--force"], ["-n", "--no-clobber", "-i", "-b", "--backup"]);
  const toFolder = inOption.length > 0 || (target[0]?.text.endsWith("/") ?? false);
  return isForced && !toFolder ? { touched, replaced: target } : { touched };
}

/** `ln`: the place of the link, and its target as seen from there. */
function linked({ args }: Invocation): Written {
  const read = readArguments(args, "t:S:target-directory:suffix:");
  const folders = valuesOf(read, "-t", "--target-directory");
  const target = read.operands.length > 1 && folders.length === 0 ? read.operands.slice(-1) : [];
  const folder = target[0]?.text.replace(/[^/]*$/, "") ?? "";
  const leads = read.operands.map((word) =>
    /^[/~$]/.test(word.text) ? word : { ...word, text: folder + word.text },
  );
  const touched = [...target, ...folders];
  return isOn(read, ["-f", "--force"]) ? { touched, leads, replaced: target } : { touched, leads };
}

function after(args: readonly Word[], option: RegExp): Word[] {
  return args.flatMap(({ text }, at) => (option.test(text) ? (args[at + 1] ?? []) : []));
}

/** The files that `call` writes, if its program is known; undefined otherwise. */
export function writtenBy(call: Invocation): Written | undefined {
  return Object.hasOwn(writers, call.program) ? writers[call.program]?.(call) : undefined;
}
