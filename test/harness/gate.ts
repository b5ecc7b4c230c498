// A promise that a test resolves, to hold something back until the test has looked.

/** `passed` resolves once `open` is called. */
export function gate(): { passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
