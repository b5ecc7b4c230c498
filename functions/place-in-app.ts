// Tells the app's own paths from missing files. Pure.

/**
 * Whether a path that names no file belongs to the app, so that the page is shown. Such paths contain neither escapes
 * nor dots.
 */
export function isPlaceInApp(path: string): boolean {
  return !/%|\.[a-z0-9]+$/i.test(path);
}
