// Reads a version, such as `v3`, from the forms in which models write it.

/** `v3`, also if the model wrote `@v3` or copied the header `[PATH @v3 lines 1-9 of 9]`. */
export function versionOf(base: string): string {
  // The last `@` counts: a path may contain one too.
  return base.match(/@(\w+)(?=[^@]*$)/)?.[1] ?? base.trim();
}
