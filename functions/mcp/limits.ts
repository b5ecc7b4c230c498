// Budgets of MCP, each with its reason. They are here so that a worker that needs none starts without them.

export const mcpLimits = {
  /** To say hello or to list tools: a person or a turn waits. */
  helloMs: 20_000,
  /** A call, where the person set nothing else: what searches or builds takes its time. */
  callMs: 60_000,
  /** What is read of one answer. A model is shown 16 KB; a picture that is left out may be beside it. */
  answerChars: 2_000_000,
  /** Large servers have about a hundred tools in one page. */
  pages: 20,
  tools: 300,
  /** Description and schema of one tool. */
  toolChars: 20_000,
  /** Of all tools that a turn is posted with. */
  turnChars: 400_000,
  /** With more tools than this the model searches for them. */
  shownTools: 10,
  /** What one search shows. */
  foundTools: 5,
} as const;
