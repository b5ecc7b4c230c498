// A file that the phone downloaded. The browser is another process and keeps its own copy private.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Download } from "playwright-core";
import { onTestFinished } from "vitest";

/** The path of a copy that exists until the test ends. */
export async function savedDownload(download: Download): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "handrail-download-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, download.suggestedFilename());
  await download.saveAs(path);
  return path;
}
