// The class of the row that a search led to.
import { foundRow } from "../session/scroll-target.ts";

export function foundClass({ key }: { key: string }): string {
  return foundRow.value === key ? " found-here" : "";
}
