// A version as the sandbox takes it, `v3`, of what models write for it.

/** `v3`, also where the model wrote `@v3` or copied the header `[PATH @v3 lines 1-9 of 9]`. */
export function versionOf(base: string): string {
  // The last one: a path may hold such a sign too.
  return base.match(/@(\w+)(?=[^@]*$)/)?.[1] ?? base.trim();
}
