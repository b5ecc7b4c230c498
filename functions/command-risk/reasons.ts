// The reasons of a command's risks in words for a person: without duplicates, and with files of one kind in one
// sentence.

/** "Changes PATH, which …": if several files have the same reason, it is given once. */
const change = /^Changes (.+?), ((?:which|inside|outside) .*)$/;

export function reasonsInWords(whys: readonly string[]): string {
  /** The files by the rest of their sentence; a reason in another form has no files. */
  const sentences = new Map<string, (string | undefined)[]>();
  for (const why of new Set(whys)) {
    const [, path, end = why] = change.exec(why) ?? [];
    sentences.set(end, [...(sentences.get(end) ?? []), path]);
  }
  return Array.from(sentences, ([end, [first, ...others]]) => {
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    return first === undefined ? end : `Changes ${first}${more}, ${end}`;
  }).join(" ");
}
