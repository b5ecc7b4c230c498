// Environment variables as they are passed around, so that tests need not change those of the process.
export type Env = Readonly<Record<string, string | undefined>>;
