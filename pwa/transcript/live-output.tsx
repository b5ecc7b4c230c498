// The newest output of a command that runs, following its end unless a person scrolls up.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { LiveOutput } from "../../shared/session/session-state.ts";

/** Lines mounted while a command runs: enough to follow it, few enough to lay out in every frame. */
const maxLines = 200;

export function LiveOutputView({ output }: { output: LiveOutput }) {
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight;
  }, [output.text]);
  const lines = withoutControls(output.text).split("\n");
  const shown = lines
    .slice(-maxLines)
    .join("\n")
    .replace(/^\s*\n|\n$/g, "");
  if (shown.trim() === "") return null;
  return (
    <pre
      ref={box}
      class="live-output"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      onScroll={(event) => {
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
        follows.current = scrollHeight - scrollTop - clientHeight < 24;
      }}
    >
      {shown}
    </pre>
  );
}

/** A terminal's control sequence: ESC, a bracket, parameters, a letter. */
const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, "g");

/** Without terminal colours; of a line that rewrites itself only its last state. */
export function withoutControls(text: string): string {
  return text
    .replace(colour, "")
    .replace(/\r\n/g, "\n")
    .replace(/[^\n]*\r(?!\n)/g, "");
}
