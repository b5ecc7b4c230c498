// Commands exactly as they run: every space, line end and character is shown in reading order, however long they are.

/** A command inside a sentence. */
export function Command({ text }: { text: string }) {
  return <code class="command">{text}</code>;
}

interface CommandBoxProps {
  text: string;
  /** The folder in which it runs; absent = the workspace. */
  folder?: string | undefined;
}

/** A command that a person decides about, shown whole: a box that scrolls would hide a part of it. */
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
