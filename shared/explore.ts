// What the edge and the phone both know of helpers (the tool `explore`).

/** Subkind of the hidden messages that record the rounds of a helper. */
export const exploreSubkind = "explore";

/** In one answer. More would ask a provider too much at once, and hardly be read. */
export const helpersAtOnce = 3;
