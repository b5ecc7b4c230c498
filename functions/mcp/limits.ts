// Budgets of MCP, each with its reason. They are here so that a worker that needs none starts without them.

export const mcpLimits = {
  /** To say hello or to list tools: a person or a turn waits. */
  helloMs: 20_000,
  /** A call, unless the person set another limit: searches and builds take time. */
  callMs: 60_000,
  /** Until a program in the sandbox has said hello: npx may have to fetch it first. */
  startMs: 60_000,
  /** How long a program may take to exit after its input was closed. */
  endMs: 2_000,
  /** What a command of the sandbox may take at most. */
  execMs: 600_000,
  /** What of one text leaves the sandbox: more than a model is shown, twice over. */
  textChars: 60_000,
  /** How much of a list of tools may leave the sandbox, whose commands may print 4 MiB. */
  listChars: 1_000_000,
  /** The arguments of one call: a variable of a command holds 128 KiB. */
  argumentBytes: 100_000,
  /** How much of one answer is read. A model is shown 16 KB, but the answer may also contain an image that is left out. */
  answerChars: 2_000_000,
  /** Large servers have about a hundred tools in one page. */
  pages: 20,
  tools: 300,
  /** Description and schema of one tool. */
  toolChars: 20_000,
  /** All tools together that a turn is posted with. */
  turnChars: 400_000,
  /** With more tools than this the model searches for them. */
  shownTools: 10,
  /** What one search shows. */
  foundTools: 5,
} as const;
