// The form of calls in text, loaded with the first answer that is read: no other route needs it.
export const textForm = () => import("./text-calls/text-calls.ts");
