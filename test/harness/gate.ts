// A promise that a test keeps itself, to hold something until it has looked.

/** `passed` resolves once `open` was called. */
export function gate(): { passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
