// Recognises programs that do the same as `cp`, `mv` or `rm`.
import type { Invocation } from "./invocation.ts";
import type { Option } from "./options.ts";

/** https://cmake.org/cmake/help/latest/manual/cmake.1.html#run-a-command-line-tool: what each tool does by default. */
const cmakeTools: ReadonlyMap<string, readonly [program: string, option: string]> = new Map([
  ["copy", ["cp", ""]],
  ["copy_if_different", ["cp", ""]],
  ["copy_if_newer", ["cp", ""]],
  ["copy_directory", ["cp", "-r"]],
  ["rename", ["mv", "-f"]],
  ["rm", ["rm", ""]],
  ["remove", ["rm", ""]],
  ["touch", ["touch", ""]],
  ["create_symlink", ["ln", "-f"]],
  ["create_hardlink", ["ln", "-f"]],
]);

/** `cmake -E copy a b` as `cp a b`; any other call unchanged. */
export function asFileTool(call: Invocation): Invocation {
  const [mode, tool, ...args] = call.args;
  const found =
    call.program === "cmake" && mode?.text === "-E" ? cmakeTools.get(tool?.text ?? "") : undefined;
  if (!found || !tool) return call;
  const [program, option] = found;
  return { ...call, program, args: option === "" ? args : [{ ...tool, text: option }, ...args] };
}

/** The options that set the placeholder of `xargs` or `parallel`, such as `-I {}`. */
function marks({ wrappers }: Invocation): Option[] {
  return wrappers.flatMap(({ read }) => read.options.filter(({ name }) => /^(-I|-i|--replace)$/.test(name)));
}

/** Whether the placeholder may be any word, also one that reads like a file: `xargs -I x.js node x.js`. */
export function isOddlyMarked(call: Invocation): boolean {
  return (
    call.wrappers.some(({ name }) => name === "parallel") ||
    marks(call).some(({ value }) => !/^(\{\}|%)$/.test(value?.text ?? ""))
  );
}

/** The call with a placeholder for the file that `xargs` appends, unless a mark such as `{}` shows where it goes. */
export function withAddedFile(call: Invocation): Invocation {
  const isMarked = call.args.some(({ text }) => text.includes("{}")) || marks(call).length > 0;
  if (!call.moreArgs || isMarked) return call;
  const added = { text: "$found", unknown: true, pattern: false, quoted: false, scripts: [] };
  return { ...call, args: [...call.args, added] };
}
