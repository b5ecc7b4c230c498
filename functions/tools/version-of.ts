// A version as the header of rows has it, `@v3`, and as the sandbox takes it, `v3`.

export function versionOf(base: string): string {
  return base.trim().replace(/^@/, "");
}
