// Parses JSON text that may be invalid.

/** The value of a JSON text; undefined if it is not valid JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
