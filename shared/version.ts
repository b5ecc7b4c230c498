// Handrail's version; a test checks that it equals the one in package.json.
export const version = "0.3.0";
