/** Whether a path that names no file is a place inside the app, and the page's to show. No place needs escapes or dots. */
export function isPlaceInApp(path: string): boolean {
  return !/%|\.[a-z0-9]+$/i.test(path);
}
