// What a file that is imported may hold, each limit with its reason.

export const importLimits = {
  /** An export of everything: a year of sessions is some 30 MB. A phone reads a file whole, then holds it parsed. */
  fileBytes: 64 * 1024 * 1024,
  /** Levels of its JSON: a plan in a history has about fourteen; what walks through it calls itself. */
  jsonDepth: 200,
  sessions: 2_000,
  /** Entries of one session: fifty times the longest that is tested for. */
  entries: 500_000,
  /** What the list shows of a session in a line. */
  titleChars: 200,
  /** For a text in the composer: what a person can look through before they send it. */
  draftChars: 20_000,
} as const;
