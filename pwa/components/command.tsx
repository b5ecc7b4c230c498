// Commands as they run: each space, line end and character of them, in reading order, however long they are.

/** Within a line of words. */
export function Command({ text }: { text: string }) {
  return <code class="command">{text}</code>;
}

interface CommandBoxProps {
  text: string;
  /** The folder it runs in; absent = the workspace. */
  folder?: string | undefined;
}

/** The whole text that a person decides about. It does not scroll, since a scrolling box would hide a part. */
export function CommandBox({ text, folder }: CommandBoxProps) {
  return (
    <div class="command-box">
      {folder !== undefined && folder !== "" && (
        <p>
          In <Command text={folder} />
        </p>
      )}
      <pre class="command">{text}</pre>
    </div>
  );
}
