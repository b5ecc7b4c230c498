// The author of commits: the one that the server's git names, unless the person enters another one here. It is kept on
// this device for all sessions.
import { changeSettings, settings } from "../app/app-state.ts";

const fields = { name: "Name", email: "Email" } as const;

/** Removes what git does not allow in an author's name or address. */
function cleaned(text: string): string {
  return text.replace(/[<>\p{Cc}]/gu, "").slice(0, 200);
}

export function AuthorFields() {
  const author = settings.value.author ?? { name: "", email: "" };
  const isNamed = author.name !== "" && author.email !== "";
  return (
    <details>
      <summary class="muted">Author: {isNamed ? author.name : "as git on your server says"}</summary>
      {(["name", "email"] as const).map((part) => (
        <label key={part} class="field">
          <span class="muted">{fields[part]}</span>
          <input
            class="answer-text"
            autocapitalize="none"
            autocomplete={part}
            value={author[part]}
            onInput={(event) => {
              const next = { ...author, [part]: cleaned(event.currentTarget.value) };
              const empty = next.name === "" && next.email === "";
              void changeSettings({ author: empty ? undefined : next });
            }}
          />
        </label>
      ))}
      <p class="muted">Both are needed. They are kept on this device and used for all of its commits.</p>
    </details>
  );
}
