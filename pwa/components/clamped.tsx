// Words that are longer than a title has room for: two lines of them, whole on a tap.
import { WholeWords } from "../markdown/whole.tsx";

/** More than two lines of a phone. */
const longChars = 84;

export function Clamped({ text }: { text: string }) {
  if (text.length <= longChars)
    return (
      <span>
        <WholeWords text={text} />
      </span>
    );
  return (
    <details class="clamped">
      <summary>
        {/* The host of a link could be on a line that is not shown. */}
        <WholeWords text={text} still />
      </summary>
    </details>
  );
}
