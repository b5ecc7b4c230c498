// Limits of MCP, each with its reason. They are in a file of their own so that a worker without MCP servers starts
// without them.

export const mcpLimits = {
  /** To initialize or to list tools, while a person or a turn waits. */
  helloMs: 20_000,
  /** For a call, unless the person set another limit: searches and builds take time. */
  callMs: 60_000,
  /** Until a program in the sandbox has answered: npx may have to download it first. */
  startMs: 60_000,
  /** How long a program may take to exit after its input was closed. */
  endMs: 2_000,
  /** The longest time that the sandbox allows a command. */
  execMs: 600_000,
  /** This much of one text leaves the sandbox: more than twice what a model is shown. */
  textChars: 60_000,
  /** The largest list of tools that leaves the sandbox, whose commands may print 4 MiB. */
  listChars: 1_000_000,
  /** The arguments of one call: an environment variable of a command holds 128 KiB. */
  argumentBytes: 100_000,
  /** How much of one answer is read. A model is shown 16 KB, but the answer may also contain an image that is left out. */
  answerChars: 2_000_000,
  /** Large servers list about a hundred tools on one page. */
  pages: 20,
  tools: 300,
  /** The description and schema of one tool. */
  toolChars: 20_000,
  /** All tools of one turn together. */
  turnChars: 400_000,
  /** If there are more tools than this, the model searches for them. */
  shownTools: 10,
  /** The number of tools that one search shows. */
  foundTools: 5,
} as const;
