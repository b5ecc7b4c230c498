// What a line above a list says that the list is.

/** Only the end of a longer line is looked at: matching takes quadratic time. */
const maxChars = 400;
const steps =
  /\b(plan|steps?|approach|i will|i'll|i\u2019ll|i would|going to|tasks|to-?do)\b.*:\s*(\*\*)?\s*$/i;
/** Lists below such a line offer choices or information, not work. */
const other =
  /\b(ways|options|alternatives|choices|possibilities|approaches|questions|reasons|causes|problems|issues|findings|notes|risks)\b[^.]*:\s*(\*\*)?\s*$|\?\s*(\*\*)?\s*$/i;

export function announcesSteps(line: string): boolean {
  return steps.test(line.slice(-maxChars));
}

export function announcesOther(line: string): boolean {
  return other.test(line.slice(-maxChars));
}

/** A sentence that only hands over a plan, and says nothing about what it is for. */
const handing =
  /^(?:(?:here|this|below)(?:['\u2019]s| is)|(?:i(?:['\u2019]ve| have)? )?(?:revised|updated|adjusted|changed)) (?:the |my |an? |your )?(?:\w+ )?plan(?: below| again| now)?[.!]?$/i;

export function handsOver(line: string): boolean {
  return handing.test(line);
}
