// Copies a text, and says that it did.
import { useSignal } from "@preact/signals";

const saidForMs = 2_000;

export function Copy({ text }: { text: string }) {
  const words = useSignal("Copy");
  return (
    <button
      type="button"
      class="text-button copy"
      onClick={() => {
        void copied(text).then((done) => {
          words.value = done ? "Copied" : "Not copied";
          setTimeout(() => (words.value = "Copy"), saidForMs);
        });
      }}
    >
      {words.value}
    </button>
  );
}

/** On plain http there is no clipboard to ask for; a field that is copied from works there as well. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
