// Limits of reading markdown.

/** Lists and quotes in one another, and bold in emphasis in links: deeper is text. Drawing calls itself once a level. */
export const maxDepth = 24;
