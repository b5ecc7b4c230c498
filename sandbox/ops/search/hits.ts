// A search request and its results, whichever program searches.

/** The matching lines of one file, counted from 1, in ascending order. */
export interface Hit {
  path: string;
  lines: number[];
}

export interface SearchRun {
  pattern: string;
  regex: boolean;
  glob: string | undefined;
  /** The search may stop after this many lines. */
  limit: number;
  signal: AbortSignal;
}

export interface Hits {
  hits: Hit[];
  truncated: boolean;
}
