/**
 * A copy that has no other properties: the ids of steps and questions are the model's words, such as `constructor`.
 */
export function byId(texts: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.assign(Object.create(null), texts);
}
