// Tells what an opened file is: an image, text, or bytes. Pure.

const images: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  svg: "image/svg+xml",
  ico: "image/x-icon",
};

/** The media type of an image by its name; undefined for everything else. */
export function imageType(path: string): string | undefined {
  return images[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
}

/** Returns the bytes as text, or undefined if they are not text. With `cut`, the last character may be incomplete. */
export function decodedText(bytes: Uint8Array<ArrayBuffer>, cut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}

/** "312 bytes", "4.1 KB", "12 MB", "8.6 GB": a KB has 1,000 bytes, as on phones. */
export function sizeInWords(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const [value, unit] =
    bytes < 999_500
      ? [bytes / 1_000, "KB"]
      : bytes < 999_500_000
        ? [bytes / 1_000_000, "MB"]
        : [bytes / 1_000_000_000, "GB"];
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
