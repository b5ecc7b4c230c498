// Groups of tools that the transcript treats alike. A test checks that the names match those of the edge.

/** These tools change nothing and are called often, so the transcript summarises them on one line. */
export const readingTools: ReadonlySet<string> = new Set([
  "read_file",
  "list_files",
  "search_files",
  "get_plan",
]);

/** The plan or a question shows what these tools do, so the transcript shows no call for them. */
export const planningTools: ReadonlySet<string> = new Set([
  "set_plan",
  "update_plan",
  "exit_plan",
  "enter_plan",
  "ask_user",
]);
