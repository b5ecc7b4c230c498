// Which formats of a state folder this version reads. The file `format` in it names one; no file means 1.

/** Grows with a change that this version's predecessors would misread. */
export const stateFormat = 1;
