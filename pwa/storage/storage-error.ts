// What it means for a person that storage does not take something.

export function storageErrorInWords(error: unknown): string {
  return error instanceof DOMException && error.name === "QuotaExceededError"
    ? "This phone's storage is full. What was kept before stays; what happens now is shown, but not kept. Export or delete sessions to make room."
    : "This phone's storage does not answer. What happens now is shown, but not kept.";
}
