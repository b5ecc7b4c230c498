// Text that is too long for a title: shows two lines, and all of it on a tap.
import { WholeWords } from "../markdown/whole.tsx";

/** More characters than fit on two lines of a phone. */
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
        {/* Links are plain text, because a link's host could be in the hidden part. */}
        <WholeWords text={text} still />
      </summary>
    </details>
  );
}
