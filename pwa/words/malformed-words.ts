// Kinds of malformed calls, in words. Pure.

const kinds: Readonly<Record<string, string>> = {
  unknown_tool: "a tool that does not exist",
  tool_name: "a tool's name written another way",
  dialect: "a call in the form of another protocol",
  fence: "arguments inside a code block",
  missing_fence_end: "a call in the text without its end",
  arguments: "arguments that are not JSON",
  fields: "arguments with a field missing or wrong",
  cut_off: "brackets missing at the end",
  double_encoded: "arguments written as a text",
  imagined_result: "a result that the model made up",
  empty_answer: "an answer with nothing in it",
};

export function malformedKindInWords(kind: string): string {
  return kinds[kind] ?? kind.replaceAll("_", " ");
}
