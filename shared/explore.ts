// What the edge and the phone both know about helpers (the tool `explore`).

/** Subkind of the hidden messages that record the rounds of a helper. */
export const exploreSubkind = "explore";

/**
 * The most helpers that one answer may start: more would overload a provider, and the model would hardly read all
 * reports.
 */
export const helpersAtOnce = 3;
