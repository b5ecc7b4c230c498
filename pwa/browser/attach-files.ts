// Files that a person attaches. Each is made small enough to be sent with every later request of the session, or
// refused with a reason.
import type { Attachment } from "../../shared/message.ts";

/** Every attachment is sent with each request of its session, and a request may have 8 MB. */
export const attachLimits = {
  count: 5,
  /** Models shrink larger images themselves, so more pixels would only make the upload longer. */
  imageSidePx: 1568,
  textBytes: 100_000,
  /** The limit for all attachments of one message together, in base64 as they are sent. */
  sumChars: 2_000_000,
} as const;

const jpegQuality = 0.82;

/** Access to the current attachments, which may change while a file is read. */
export interface Attached {
  all(): readonly Attachment[];
  add(attachment: Attachment): void;
}

/**
 * Adds those of `files` that can be attached, each as soon as it is read. Returns a sentence for each that cannot.
 * Never throws.
 */
export async function attachFiles(files: readonly File[], attached: Attached): Promise<string[]> {
  const problems: string[] = [];
  for (const file of files) {
    const name = file.name === "" ? "Pasted image" : file.name;
    const made = await read(file, name);
    const sum = attached.all().reduce((chars, { data }) => chars + data.length, 0);
    if (typeof made === "string") problems.push(made);
    else if (attached.all().length >= attachLimits.count) problems.push(tooMany(name));
    else if (sum + made.data.length > attachLimits.sumChars)
      problems.push(`${name} is too much for one message: send what is attached first.`);
    else attached.add(made);
  }
  return problems;
}

function tooMany(name: string): string {
  return `${name} was not attached: ${attachLimits.count} files go with one message.`;
}

function read(file: File, name: string): Promise<Attachment | string> {
  return file.type.startsWith("image/") && file.type !== "image/svg+xml"
    ? readImage(file, name)
    : readText(file, name);
}

/** Returns the image as a JPEG on white whose longer side is within the limit. */
async function readImage(file: File, name: string): Promise<Attachment | string> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return `${name} is an image that this browser cannot read.`;
  const scale = Math.min(1, attachLimits.imageSidePx / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const pen = canvas.getContext("2d");
  if (pen === null) return `${name} could not be made smaller by this browser.`;
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const url = canvas.toDataURL("image/jpeg", jpegQuality);
  return { kind: "image", name, mediaType: "image/jpeg", data: url.slice(url.indexOf(",") + 1) };
}

async function readText(file: File, name: string): Promise<Attachment | string> {
  if (file.size > attachLimits.textBytes)
    return `${name} is larger than ${attachLimits.textBytes / 1000} KB: put it into the workspace instead.`;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    if (text.includes("\0")) throw new TypeError("binary");
    return { kind: "text", name, mediaType: file.type === "" ? "text/plain" : file.type, data: text };
  } catch {
    return `${name} is neither text nor an image.`;
  }
}
