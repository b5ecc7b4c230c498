// Warns, where a plan without steps is approved, what such a plan lacks.

export function NoSteps() {
  return <p class="set-aside">No steps: no checks, no undo points. Ask for steps if you want them.</p>;
}
