// Commands as they run: each space, line end and character of them, in reading order, however long they are.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Within a line of words. */
export function Command({ text }: { text: string }) {
  return <code class="command">{text}</code>;
}

interface CommandBoxProps {
  text: string;
  /** The folder it runs in; absent = the workspace. */
  folder?: string | undefined;
}

/** What a person decides about: a long one scrolls, and says so until its end was seen. */
export function CommandBox({ text, folder }: CommandBoxProps) {
  const box = useRef<HTMLPreElement>(null);
  const below = useSignal(false);
  const look = () => {
    const element = box.current;
    if (element === null) return;
    below.value = element.scrollHeight - element.clientHeight - element.scrollTop > 4;
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    look();
    return () => sizes.disconnect();
  }, [text]);
  return (
    <div class="command-box">
      {folder !== undefined && folder !== "" && (
        <p>
          In <Command text={folder} />
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre ref={box} class="command" tabIndex={0} onScroll={look}>
        {text}
      </pre>
      {below.value && <p>There is more below: scroll to its end.</p>}
    </div>
  );
}
