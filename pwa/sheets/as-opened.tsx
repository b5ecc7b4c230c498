// Closes a sheet that does not show what it decides on as soon as that changes: another phone may have decided, and the
// person has not seen what waits now.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { closeSheet } from "../browser/sheet.ts";

/** `what` identifies what the sheet decides on. */
export function AsOpened({ what, children }: { what: string; children: ComponentChildren }) {
  const [opened] = useState(what);
  const isSame = what === opened;
  useEffect(() => {
    if (!isSame) closeSheet();
  }, [isSame]);
  return isSame ? children : null;
}
