// What a search is asked for and what it finds, whichever program looks.

/** Matching lines of one file, from 1, ascending. */
export interface Hit {
  path: string;
  lines: number[];
}

export interface SearchRun {
  pattern: string;
  regex: boolean;
  glob: string | undefined;
  /** The search may stop when it has found so many lines. */
  limit: number;
  signal: AbortSignal;
}

export interface Hits {
  hits: Hit[];
  truncated: boolean;
}
