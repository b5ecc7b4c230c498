// A warning about what a plan without steps lacks, shown where it is approved.

export function NoSteps() {
  return <p class="set-aside">No steps: no checks, no undo points. Ask for steps if you want them.</p>;
}
