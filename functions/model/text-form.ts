// The form of calls in text, loaded with the first answer that is read, and what mends such calls, loaded with the first one
// that is not as it should be: no other route needs them.
export const textForm = () => import("./text-calls/text-calls.ts");
export const mending = async () => (await import("./text-calls/mending.ts")).mending;
