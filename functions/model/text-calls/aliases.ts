// What other agents call our tools and their arguments, and models that were trained on those agents write. Data only.
// Beside each is where it was seen: a thread, or the file that defines it (read 2026-11). Case, `_` and `-` do not count.
// Repositories that are named more than once: [C] cline/cline src/shared/tools.ts, [R] RooCodeInc/Roo-Code
// packages/types/src/tool.ts, [G] google-gemini/gemini-cli packages/core/src/tools/definitions/base-declarations.ts,
// [M] modelcontextprotocol/servers src/filesystem/index.ts, [X] openai/codex codex-rs/core/src/tools/spec.rs,
// [O] All-Hands-AI/OpenHands openhands/runtime/plugins/agent_skills/file_ops/file_ops.py, and of
// x1xhlol/system-prompts-and-models-of-ai-tools [CC] Claude Code/claude-code-tools.json, [CU] Cursor Prompts/GPT-4o Agent Functions.json.

/** A tool of ours, and arguments that the other name says already. `ends`: the other agent's way of saying that it is done. */
export type Meaning = { tool: string; also?: Readonly<Record<string, unknown>> } | { ends: string };

const tools: Readonly<Record<string, string>> = {
  // read [CC]; open SWE-agent/SWE-agent tools/windowed/bin/open; view, view_file FoundationAgents/OpenManus#1189;
  // open_file [O]; read_text_file [M]; cat google-gemini/gemini-cli packages/core/src/tools/cat-tool.ts;
  // view_text_file agentscope-ai/agentscope#1323; file_read ca-x/ccany#3; get_file_contents modelcontextprotocol/servers src/github/index.ts.
  read_file:
    "read open view view_file open_file read_text_file cat view_text_file file_read get_file_contents",
  // ls [CC]; list_dir [CU]; list_directory [G] [M]; directory_tree [M]; glob [CC] [G]; find_file [O].
  list_files: "ls list_dir list_directory directory_tree glob find_file",
  // grep [CC]; grep_search [CU] [G]; search_dir SWE-agent/SWE-agent tools/search/bin/search_dir;
  // search_file_content google-gemini/gemini-cli packages/core/src/tools/tool-names.ts; exact_search continuedev/continue core/tools/builtIn.ts; search_code modelcontextprotocol/servers src/github/index.ts.
  search_files: "grep grep_search search_dir search_file_content search_code exact_search",
  // edit, multiedit [CC]; str_replace FoundationAgents/OpenManus#1143; replace [G], QwenLM/qwen-code#513; search_replace,
  // search_and_replace, apply_diff [R]; apply_patch [C] [R] [X]; replace_in_file [C]; replace_text_file agentscope-ai/agentscope#1323; modify_file lmstudio-ai/lmstudio-bug-tracker#830.
  edit_file:
    "edit multiedit str_replace replace replace_text search_replace search_and_replace apply_diff apply_patch replace_in_file replace_text_file modify_file",
  // write [CC]; create FoundationAgents/OpenManus#1143; create_file RooCodeInc/Roo-Code#12146; write_to_file [C] [R];
  // create_new_file continuedev/continue core/tools/builtIn.ts; write_text_file agentscope-ai/agentscope#1323; file_write ca-x/ccany#3.
  write_file: "write create create_file write_to_file create_new_file write_text_file file_write",
  // bash anomalyco/opencode packages/opencode/src/tool/bash.ts; shell, exec_command [X]; execute_command [C] [R]; run_shell_command [G];
  // execute_bash All-Hands-AI/OpenHands openhands/agenthub/codeact_agent/tools/bash.py; execute openinterpreter/openinterpreter#1577;
  // run_terminal_command continuedev/continue core/tools/builtIn.ts; run_terminal_cmd, execute_shell_command, execute_terminal_command,
  // run_commands cline/cline#3478, #10123, google-gemini/gemini-cli#869.
  run_command:
    "bash shell execute execute_command execute_bash exec_command run_shell_command run_terminal_command run_terminal_cmd execute_shell_command execute_terminal_command execute_bash_command run_commands",
  // [C] [R].
  ask_user: "ask_followup_question",
};

/** By plain name. */
export const toolMeanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ...Object.entries(tools).flatMap(([tool, names]) =>
    names.split(" ").map((name) => [plain(name), { tool }] as const),
  ),
  // [C], RooCodeInc/Roo-Code#2708.
  ["attemptcompletion", { ends: "result" }],
  // huggingface/smolagents#201.
  ["finalanswer", { ends: "answer" }],
  // All-Hands-AI/OpenHands openhands/agenthub/codeact_agent/tools/finish.py.
  ["finish", { ends: "message" }],
]);

/**
 * Other names of an argument, by tool, in order of precedence. Names that differ only by case, `_` and `-` are one.
 * Names without a source are common words for the same thing, and mean nothing else to that tool.
 */
export const argumentNames: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  read_file: {
    // file_path [CC], absolute_path iOfficeAI/gemini-cli-pro#9, filePath Kilo-Org/kilocode#12147, cortexkit/aft#148,
    // LibreChat-AI/agents#250, target_file [CU], relative_path oraios/serena#114, file tobi/qmd#372.
    path: ["file_path", "filename", "file", "target_file", "absolute_path", "relative_path"],
    // offset [CC]; start_line, end_line [G].
    start: ["start_line", "offset"],
    end: ["end_line"],
    // view_range FoundationAgents/OpenManus#1143; line_range RooCodeInc/Roo-Code#7156.
    lines: ["view_range", "line_range"],
  },
  list_files: {
    // dir_path [G].
    path: ["dir_path", "directory", "dir", "folder"],
    depth: ["max_depth"],
    // pattern [CC].
    glob: ["pattern"],
  },
  search_files: {
    // query [CU].
    pattern: ["query", "search", "text"],
    // include_pattern [CU] [G].
    glob: ["include", "file_pattern", "include_pattern"],
    // Where a tool of theirs searches in one folder or file: path [CC], dir_path [G].
    in: ["path", "directory", "dir", "folder", "file", "dir_path"],
    // -C [CC].
    context: ["context_lines", "-C"],
  },
  edit_file: {
    path: ["file_path", "filename", "file", "target_file"],
    base: ["version", "base_version"],
    edits: ["edit", "changes", "replacements", "operations"],
    // Cline and Roo Code: SEARCH/REPLACE blocks. Codex: a patch of its own form; `input` [X], `patchText` anomalyco/opencode
    // packages/opencode/src/tool/apply_patch.ts.
    diff: ["blocks", "patch", "input", "patch_text"],
    // old_str FoundationAgents/OpenManus#1143; old_string [CC], nibor1896/Crow#215; oldText [M], YuGiMob/pi-hashline-edit-pro#18.
    old: ["old_str", "old_string", "old_text", "search", "find", "original"],
    new: ["new_str", "new_string", "new_text", "replace", "replacement"],
    // [CC].
    all: ["replace_all"],
  },
  write_file: {
    path: ["file_path", "filename", "file", "target_file"],
    // file_text FoundationAgents/OpenManus#1143.
    content: ["file_text", "contents", "text", "code", "file_content"],
    base: ["version", "base_version"],
  },
  run_command: {
    // cmd, workdir, timeout_ms [X].
    command: ["cmd", "script", "commands", "code", "input"],
    cwd: ["workdir", "working_directory"],
    timeoutMs: ["timeout_ms"],
    // run_in_background [X]; is_background [G].
    background: ["run_in_background", "is_background"],
  },
  ask_user: { questions: ["question"] },
};

/** For one edit in `edits`. */
export const editNames: Readonly<Record<string, readonly string[]>> = {
  op: ["type", "operation", "action", "kind", "mode"],
  at: ["line", "row", "ref", "reference", "start", "from", "anchor"],
  to: ["end", "until"],
  lines: ["content", "text", "new_lines", "with", "rows"],
  old: argumentNames.edit_file?.old ?? [],
  new: argumentNames.edit_file?.new ?? [],
  all: ["replace_all"],
};

/** Other names of what an edit does: two of other agents' tools (above), and common words. */
export const editKinds: Readonly<Record<string, string>> = {
  ...{ str_replace: "replace_text", search_replace: "replace_text" },
  ...{ remove: "delete", insert: "insert_after" },
  ...{ replace_lines: "replace", update: "replace" },
};

/**
 * What agents ask for beside the arguments, and nothing here needs. explanation [CU]; description [CC]; thought
 * crewAIInc/crewAI#4186; requires_approval, task_progress, recursive: Cline; security_risk: OpenHands.
 */
export const idleKeys: ReadonlySet<string> = new Set([
  ...["thought", "thinking", "reasoning", "reason", "explanation", "description"],
  ...["requires_approval", "task_progress", "recursive", "security_risk"],
]);

/** The keys for the name of a call's tool, and for its arguments, in order of precedence. */
export const nameKeys = ["tool", "name", "tool_name", "toolName", "action", "function", "function_name"];
export const argumentKeys = [
  ...["args", "arguments", "parameters", "input", "params", "action_input", "tool_input", "tool_args"],
];

export function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
