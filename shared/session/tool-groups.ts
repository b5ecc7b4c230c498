// Tools that a transcript treats alike. A test holds the names equal to those of the edge.

/** They change nothing and are many: the transcript sums them up in one line. */
export const readingTools: ReadonlySet<string> = new Set([
  "read_file",
  "list_files",
  "search_files",
  "get_plan",
]);

/** What they do is shown in the plan or as a question, not as a call. */
export const planningTools: ReadonlySet<string> = new Set([
  "set_plan",
  "update_plan",
  "exit_plan",
  "enter_plan",
  "ask_user",
]);
