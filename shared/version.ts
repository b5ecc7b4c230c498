// The version of Handrail: the one in package.json, which a test holds equal.
export const version = "0.3.0";
