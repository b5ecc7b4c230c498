// Refuses fields of a request that no schema knows, at any depth, because they may have had a meaning for the sender.
import { isObject } from "../../shared/is-record.ts";

/**
 * Names the first field of `sent` that is missing in `read`, the value that a schema made of it, with its object and
 * the remedy. Only requests are checked: schemas of stored data drop unknown fields, so that data of a later version
 * can be read.
 */
export function unknownField(sent: unknown, read: unknown, root = "body"): string | undefined {
  const path = pathToUnknown(sent, read);
  const field = path?.pop();
  return path && `${[root, ...path].join("")}: unknown field ${JSON.stringify(field)}; leave it out.`;
}

function pathToUnknown(sent: unknown, read: unknown): string[] | undefined {
  if (sent === read || !isObject(sent) || !isObject(read)) return undefined;
  for (const key of Object.keys(sent)) {
    if (!Object.hasOwn(read, key)) return [key];
    const path = pathToUnknown(sent[key], read[key]);
    if (path) return [Array.isArray(sent) ? `[${key}]` : `.${key}`, ...path];
  }
  return undefined;
}
