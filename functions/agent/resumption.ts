// Where in a message's calls a turn takes up work that had to wait.

export interface Resumption {
  /** Ordinal of the first call that has no result yet. */
  from: number;
  /** Ordinal of the call that the person has allowed. */
  permitted?: number;
  /** Suffix of the key under which the permitted call runs: `/again` for one whose outcome is not known. */
  suffix?: string;
}
