// Environment variables as a value that is passed around, so that tests need not change the process's own.
export type Env = Readonly<Record<string, string | undefined>>;
