// Recognises what a line above a list says about the list.

/** Only the end of a longer line is examined, because matching takes time quadratic in the length. */
const maxChars = 400;
const steps =
  /\b(plan|steps?|approach|i will|i'll|i\u2019ll|i would|going to|tasks|to-?do)\b.*:\s*(\*\*)?\s*$/i;
/** A list below such a line offers choices or information and is not a list of steps. */
const other =
  /\b(ways|options|alternatives|choices|possibilities|approaches|questions|reasons|causes|problems|issues|findings|notes|risks)\b[^.]*:\s*(\*\*)?\s*$|\?\s*(\*\*)?\s*$/i;

export function announcesSteps(line: string): boolean {
  return steps.test(line.slice(-maxChars));
}

export function announcesOther(line: string): boolean {
  return other.test(line.slice(-maxChars));
}

/** A sentence that only presents a plan without saying what the plan is for. */
const handing =
  /^(?:(?:here|this|below)(?:['\u2019]s| is)|(?:i(?:['\u2019]ve| have)? )?(?:revised|updated|adjusted|changed)) (?:the |my |an? |your )?(?:\w+ )?plan(?: below| again| now)?[.!]?$/i;

export function handsOver(line: string): boolean {
  return handing.test(line);
}
