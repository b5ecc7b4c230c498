// The version of Handrail; a test keeps it equal to the one in package.json.
export const version = "0.3.0";
