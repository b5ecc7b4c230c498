// Ignores taps on a control that has just replaced another one.
import { useEffect, useState } from "preact/hooks";
import { arrivalMs } from "../browser/typing.ts";

/** True for a moment after `what` changes, but not when the component first appears. Use it as `inert`. */
export function useJustCame(what: string): boolean {
  const [known, setKnown] = useState(what);
  useEffect(() => {
    if (known === what) return;
    const timer = setTimeout(() => setKnown(what), arrivalMs);
    return () => clearTimeout(timer);
  }, [what, known]);
  return known !== what;
}
