/** Source of the hidden message that tells that a project has hooks. */
export const hooksFound = "project_hooks";

export const hooksFile = ".handrail/config.json";
