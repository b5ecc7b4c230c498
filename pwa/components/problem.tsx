// What went wrong or is in the way, in the place where the person acts.

/** Shows nothing without words. Screen readers read new words at once. */
export function Problem({ words }: { words: string | null | undefined }) {
  return words === null || words === undefined ? null : (
    <p class="problem" role="alert">
      {words}
    </p>
  );
}
