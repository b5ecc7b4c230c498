// Reads as much of one file as a phone should load, and decides whether it is text, an image or bytes.
import { useEffect, useState } from "preact/hooks";
import { inWords } from "../app/app-state.ts";
import { download, readFileBytes } from "../app/workspace.ts";
import { decodedText, imageType } from "./file-kind.ts";

/** A phone reads this much of a text file, about 8,000 lines. Longer files can be downloaded. */
export const maxTextBytes = 384_000;
/** Larger images have to be downloaded: a phone may be on a slow network that costs money. */
const maxImageBytes = 8_000_000;

export type ShownFile =
  | { kind: "loading" }
  | { kind: "failed"; message: string }
  | { kind: "text"; text: string; cut: boolean; size: number }
  | { kind: "image"; url: string; size: number }
  | { kind: "bytes"; why: string; size: number };

export function useFile(sandboxId: string, path: string): ShownFile {
  const [shown, setShown] = useState<ShownFile>({ kind: "loading" });
  useEffect(() => {
    let left = false;
    let url: string | undefined;
    setShown({ kind: "loading" });
    readShown(sandboxId, path).then(
      (next) => {
        if (next.kind === "image") url = next.url;
        if (!left) setShown(next);
        else if (url !== undefined) URL.revokeObjectURL(url);
      },
      (error: unknown) => left || setShown({ kind: "failed", message: inWords(error).message }),
    );
    return () => {
      left = true;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [sandboxId, path]);
  return shown;
}

async function readShown(sandboxId: string, path: string): Promise<ShownFile> {
  const type = imageType(path);
  const most = type === undefined ? maxTextBytes : maxImageBytes;
  const { bytes, size } = await readFileBytes(sandboxId, path, most);
  const cut = bytes.size < size;
  if (type !== undefined) {
    if (cut) return { kind: "bytes", why: "A large image", size };
    return { kind: "image", url: URL.createObjectURL(new Blob([bytes], { type })), size };
  }
  const text = decodedText(new Uint8Array(await bytes.arrayBuffer()), cut);
  return text === undefined ? { kind: "bytes", why: "Not text", size } : { kind: "text", text, cut, size };
}

/** Downloads the whole file to the device; resolves to the problem in words, if there was one. */
export async function downloadFile(sandboxId: string, path: string): Promise<string | undefined> {
  try {
    const { bytes } = await readFileBytes(sandboxId, path);
    download(bytes, path.slice(path.lastIndexOf("/") + 1));
    return undefined;
  } catch (error) {
    return inWords(error).message;
  }
}
