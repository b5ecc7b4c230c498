// What it means for a person that storage does not take something.

export function storageErrorInWords(error: unknown): string {
  return error instanceof DOMException && error.name === "QuotaExceededError"
    ? "This phone's storage is full. What happens now is shown, but not kept."
    : "This phone's storage does not answer. What happens now is shown, but not kept.";
}
