// Signatures and encrypted reasoning of the scripted models, bound to the model and to the reasoning.

export function sealOf(model: string, text: string): string {
  return Buffer.from(`${model}\n${text}`).toString("base64");
}
