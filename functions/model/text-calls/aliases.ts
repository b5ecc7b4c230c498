// What other agents call our tools and their arguments, and models that were trained on those agents write. Data only.
// Beside each is where it was seen: a thread that was read (2026-11), or only the product. Case, `_` and `-` do not count.

/** A tool of ours, and arguments that the other name says already. `ends`: the other agent's way of saying that it is done. */
export type Meaning = { tool: string; also?: Readonly<Record<string, unknown>> } | { ends: string };

const named: readonly (readonly [meaning: Meaning, names: string, seen: string])[] = [
  [
    { tool: "read_file" },
    "read open view",
    "Claude Code; opencode; str_replace_editor: FoundationAgents/OpenManus#1189",
  ],
  [
    { tool: "read_file" },
    "open_file view_file read_text_file cat show_file",
    "SWE-agent; MCP's filesystem server: deepagents-ai/agent-backend#71; shells",
  ],
  [
    { tool: "read_file" },
    "view_text_file file_read get_file_contents load_file",
    "agentscope-ai/agentscope#1323; MCP's GitHub server",
  ],
  [
    { tool: "list_files" },
    "ls list_dir list_directory tree directory_tree",
    "Claude Code; Cursor; Gemini CLI; MCP's filesystem server",
  ],
  [{ tool: "list_files" }, "list find_files glob", "opencode; Claude Code"],
  [{ tool: "search_files" }, "grep search rg ripgrep grep_search", "Claude Code; Cursor; shells"],
  [
    { tool: "search_files" },
    "search_code search_file_content find_in_files search_dir",
    "Gemini CLI; SWE-agent",
  ],
  [
    { tool: "edit_file" },
    "edit str_replace replace search_replace replace_text",
    "Claude Code, Gemini CLI: QwenLM/qwen-code#513",
  ],
  [
    { tool: "edit_file" },
    "multi_edit multiedit modify_file replace_text_file",
    "lmstudio-ai/lmstudio-bug-tracker#830; agentscope-ai/agentscope#1323",
  ],
  [{ tool: "edit_file" }, "replace_in_file apply_diff search_and_replace", "Cline; Roo Code"],
  [
    { tool: "write_file" },
    "write create create_file write_to_file save_file",
    "Claude Code; Cline; OpenHands; also file_write: ca-x/ccany#3",
  ],
  [
    { tool: "write_file" },
    "new_file create_new_file write_text_file file_write",
    "Continue; agentscope-ai/agentscope#1323",
  ],
  [
    { tool: "run_command" },
    "bash shell terminal execute_command execute_bash",
    "Claude Code; Codex; Cline; OpenHands",
  ],
  [
    { tool: "run_command" },
    "run_shell_command run_terminal_cmd run_terminal_command",
    "Gemini CLI: google-gemini/gemini-cli#869; Cursor; Continue",
  ],
  [
    { tool: "run_command" },
    "exec execute run sh cmd exec_command",
    "openinterpreter/openinterpreter#1577; Codex",
  ],
  [
    { tool: "run_command" },
    "execute_shell_command execute_terminal_command execute_bash_command run_commands",
    "cline/cline#3478, #10123; google-gemini/gemini-cli#869",
  ],
  [{ tool: "ask_user" }, "ask_followup_question ask question ask_question", "Cline; Roo Code; opencode"],
  [{ ends: "result" }, "attempt_completion", "Cline: RooCodeInc/Roo-Code#2708"],
  [{ ends: "answer" }, "final_answer finish", "huggingface/smolagents#201; OpenHands"],
];

/** By plain name. */
export const toolMeanings: ReadonlyMap<string, Meaning> = new Map(
  named.flatMap(([meaning, names]) => names.split(" ").map((name) => [plain(name), meaning] as const)),
);

/** Other names of an argument, by tool; the first that is there counts. */
export const argumentNames: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // Claude Code says file_path, Gemini CLI absolute_path (iOfficeAI/gemini-cli-pro#9), opencode filePath (Kilo-Org/kilocode#12147;
  // models mix them up: cortexkit/aft#148, LibreChat-AI/agents#250), Cursor target_file.
  read_file: {
    path: ["file_path", "filepath", "filename", "file_name", "file", "target_file", "absolute_path", "uri"],
    start: ["start_line", "line_start", "startLine", "offset", "from_line", "first_line"],
    end: ["end_line", "line_end", "endLine", "to_line", "last_line"],
    lines: ["view_range", "line_range", "range", "ranges"],
  },
  list_files: {
    path: ["directory", "dir", "dir_path", "folder", "directory_path", "folder_path"],
    depth: ["max_depth", "maxDepth", "levels"],
    glob: ["pattern", "file_pattern", "include"],
  },
  search_files: {
    pattern: ["query", "search", "search_term", "search_query", "regexp", "text", "term", "keyword", "q"],
    glob: ["include", "file_pattern", "filePattern", "include_pattern", "file_glob"],
    // Where a tool of theirs searches in one folder or file.
    in: ["path", "directory", "dir", "folder", "file", "dir_path"],
    context: ["context_lines", "-C", "before_after"],
  },
  edit_file: {
    path: ["file_path", "filepath", "filename", "file_name", "file", "target_file"],
    base: ["version", "base_version", "file_version"],
    edits: ["edit", "changes", "replacements", "operations"],
    // Cline and Roo Code: SEARCH/REPLACE blocks.
    diff: ["blocks", "patch"],
    // str_replace_based_edit_tool, Claude Code (nibor1896/Crow#215), opencode, Gemini CLI, YuGiMob/pi-hashline-edit-pro#18.
    old: ["old_str", "old_string", "oldString", "old_text", "oldText", "search", "find", "original"],
    new: [
      "new_str",
      "new_string",
      "newString",
      "new_text",
      "newText",
      "replace",
      "replacement",
      "replace_with",
    ],
    all: ["replace_all", "replaceAll"],
  },
  write_file: {
    path: ["file_path", "filepath", "filename", "file_name", "file", "target_file"],
    content: ["file_text", "contents", "text", "code", "file_content", "data", "body"],
    base: ["version", "base_version"],
  },
  run_command: {
    command: ["cmd", "script", "commands", "shell_command", "bash", "code", "input"],
    cwd: ["workdir", "working_directory", "working_dir", "directory", "dir"],
    timeoutMs: ["timeout_ms"],
    // Claude Code; Cursor and Gemini CLI.
    background: ["run_in_background", "is_background"],
  },
  ask_user: { questions: ["question"] },
};

/** Of one edit in `edits`. */
export const editNames: Readonly<Record<string, readonly string[]>> = {
  op: ["type", "operation", "action", "kind", "mode"],
  at: ["line", "row", "ref", "reference", "start", "from", "anchor"],
  to: ["end", "until", "through"],
  lines: ["content", "text", "new_lines", "newLines", "with", "rows"],
  old: argumentNames.edit_file?.old ?? [],
  new: argumentNames.edit_file?.new ?? [],
  all: ["replace_all", "replaceAll"],
};

/** Other names of what an edit does. */
export const editKinds: Readonly<Record<string, string>> = {
  ...{ str_replace: "replace_text", search_replace: "replace_text", replace_string: "replace_text" },
  ...{ remove: "delete", del: "delete", insert: "insert_after", add_after: "insert_after" },
  ...{ add_before: "insert_before", replace_lines: "replace", replace_rows: "replace", update: "replace" },
};

/** What agents ask for beside the arguments, and nothing here needs. Cline: requires_approval; Cursor: explanation. */
export const idleKeys: ReadonlySet<string> = new Set([
  ...["thought", "thoughts", "thinking", "reasoning", "reason", "explanation", "description", "comment"],
  ...["rationale", "intent", "requires_approval", "task_progress", "recursive", "security_risk"],
]);

/** The keys under which a call has its tool's name, and its arguments, in the order in which they count. */
export const nameKeys = [
  "tool",
  "name",
  "tool_name",
  "toolName",
  "action",
  "function",
  "function_name",
  "recipient_name",
];
export const argumentKeys = [
  ...["args", "arguments", "parameters", "input", "params", "action_input", "tool_input", "toolInput"],
  ...["tool_args", "kwargs", "tool_parameters", "inputs"],
];

export function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
