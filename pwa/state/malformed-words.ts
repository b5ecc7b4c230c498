// Kinds of malformed calls, in words. Pure.

const kinds: Readonly<Record<string, string>> = {
  unknown_tool: "a tool that does not exist",
  tool_name: "a tool's name written another way",
  dialect: "a call in the form of another protocol",
  fence: "a call in the text that did not read as one",
  arguments: "arguments that are not JSON",
  imagined_result: "a result that the model made up",
};

export function malformedKindInWords(kind: string): string {
  return kinds[kind] ?? kind.replaceAll("_", " ");
}
