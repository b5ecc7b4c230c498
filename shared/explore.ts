// What the edge and the phone both know of helpers (the tool `explore`).

/** Subkind of the hidden messages that record the rounds of a helper. */
export const exploreSubkind = "explore";

/**
 * At most this many in one answer: more would ask too much of a provider at once, and the model would hardly read all
 * reports.
 */
export const helpersAtOnce = 3;
