// Bundles our part of the service worker into classic scripts: one that the generated worker imports at its start, and
// one that the first imports when it has an answer to send.
import { createHash } from "node:crypto";
import { join } from "node:path";

/** `name`: a path below the page's folder, with a hash of the content. */
interface Script {
  name: string;
  code: string;
}

/** `root`: the repository. The first script is the one that the worker imports at its start. */
export async function serviceWorkerScripts(root: string): Promise<[Script, Script]> {
  const folder = join(root, "pwa/service-worker");
  const answers = await bundled("answers", join(folder, "give-here.ts"));
  const define = { handrailAnswersUrl: JSON.stringify(`/${answers.name}`) };
  return [await bundled("notifications", join(folder, "main.ts"), define), answers];
}

async function bundled(name: string, input: string, define: Record<string, string> = {}): Promise<Script> {
  const { rolldown } = await import("rolldown");
  const made = await rolldown({
    input,
    platform: "browser",
    logLevel: "warn",
    transform: { target: "es2022", define },
    treeshake: { manualPureFunctions: ["z"], propertyReadSideEffects: false },
  });
  const { output } = await made.generate({
    format: "iife",
    name: "handrailAnswers",
    minify: true,
    comments: { legal: false },
  });
  await made.close();
  const { code } = output[0];
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 8);
  return { name: `assets/${name}-${hash}.js`, code };
}
