// Closes a sheet that does not show what it decides on, once that is something else than when the sheet opened: another
// phone may have decided meanwhile, and the person has not seen what waits now.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { closeSheet } from "../browser/sheet.ts";

/** `what` names what the sheet decides on. */
export function AsOpened({ what, children }: { what: string; children: ComponentChildren }) {
  const [opened] = useState(what);
  const isSame = what === opened;
  useEffect(() => {
    if (!isSame) closeSheet();
  }, [isSame]);
  return isSame ? children : null;
}
