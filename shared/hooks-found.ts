/** The source of the hidden message that reports a project's hooks. */
export const hooksFound = "project_hooks";

export const hooksFile = ".handrail/config.json";
