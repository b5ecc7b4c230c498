// What a line above a list says that the list is.

const steps =
  /\b(plan|steps?|approach|i will|i'll|i\u2019ll|i would|going to|tasks|to-?do)\b.*:\s*(\*\*)?\s*$/i;
/** What is listed below such a line is put to choice or told, not going to be done. */
const other =
  /\b(ways|options|alternatives|choices|possibilities|approaches|questions|reasons|causes|problems|issues|findings|notes|risks)\b[^.]*:\s*(\*\*)?\s*$/i;

export function announcesSteps(line: string): boolean {
  return steps.test(line);
}

export function announcesOther(line: string): boolean {
  return other.test(line);
}
