// Reads in a command's result what the sandbox took out of the workspace.

/** The line that the sandbox writes into a result; the group holds the path. */
const line = /^\[taken out by the sandbox: (.+?) \(.*\)\]$/gm;

/** "pk/.vscode and 2 more"; undefined if nothing was taken out. */
export function takenOutInWords(content: string): string | undefined {
  const [first, ...others] = new Set([...content.matchAll(line)].map((match) => match[1] ?? ""));
  if (first === undefined) return undefined;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
