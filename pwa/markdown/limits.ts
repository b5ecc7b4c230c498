// Limits of reading markdown.

/** Nesting of lists, quotes, links and emphasis. Anything deeper is text, since drawing recurses once a level. */
export const maxDepth = 24;
