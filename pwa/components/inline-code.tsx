// A sentence in which backticks mark commands and paths.

import { visible } from "./visible.ts";

export function InlineCode({ text }: { text: string }) {
  return (
    <>
      {visible(text)
        .split(/(`[^`]+`)/)
        .map((part, index) =>
          part.length > 2 && part.startsWith("`") && part.endsWith("`") ? (
            <code key={index}>{part.slice(1, -1)}</code>
          ) : (
            part
          ),
        )}
    </>
  );
}
