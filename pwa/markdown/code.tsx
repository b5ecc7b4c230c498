// Code in the transcript. It is plain at first, and coloured once the highlighter is loaded.
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { colourCode } from "./colour-code.ts";

const colours = signal<typeof colourCode | null>(null);
/** Longer code stays plain: people do not read it by its colours, and colouring would take a frame. */
const maxColouredChars = 20_000;

export function Code({ language, text }: { language: string; text: string }) {
  const wanted = language !== "" && text.length <= maxColouredChars;
  useEffect(() => {
    if (wanted && colours.value === null)
      void import("./colour-code.ts").then(
        (module) => {
          colours.value = module.colourCode;
        },
        () => undefined,
      );
  }, [wanted]);
  const paint = colours.value;
  const parts = useMemo(
    () => (wanted ? paint?.(language, text) : undefined),
    [paint, wanted, language, text],
  );
  if (parts === undefined) return <code>{text}</code>;
  return (
    <code>
      {parts.map(({ kind, text: words }, index) =>
        kind === "plain" ? (
          words
        ) : (
          <span key={index} class={`is-${kind}`}>
            {words}
          </span>
        ),
      )}
    </code>
  );
}
