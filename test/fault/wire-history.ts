// Checks that the messages to a model are a valid conversation: every call has one result, in order.

export interface WireMessage {
  role: string;
  content?: unknown;
  tool_calls?: { id: string }[];
  tool_call_id?: string;
}

/** The first problem of the history, or undefined. */
export function historyProblem(messages: readonly WireMessage[]): string | undefined {
  const known = new Set<string>();
  let open: string[] = [];
  for (const { role, tool_calls: calls = [], tool_call_id: answers } of messages) {
    if (role === "tool") {
      if (answers !== open[0]) return `a result of ${answers} where ${open[0] ?? "none"} was due`;
      open = open.slice(1);
      continue;
    }
    if (!["system", "user", "assistant", "developer"].includes(role)) return `a message of role ${role}`;
    if (open.length > 0) return `a ${role} message before the result of ${open[0]}`;
    for (const { id } of calls) {
      if (known.has(id)) return `the call ${id} stands twice`;
      known.add(id);
    }
    open = calls.map(({ id }) => id);
  }
  return open.length > 0 ? `no result of ${open[0]}` : undefined;
}
