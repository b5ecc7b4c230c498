// Tells places inside the app from files that do not exist. Pure.

/** Whether a path that names no file is a place inside the app, which the page shows. No place needs escapes or dots. */
export function isPlaceInApp(path: string): boolean {
  return !/%|\.[a-z0-9]+$/i.test(path);
}
