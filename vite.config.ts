// Builds the PWA into dist/pwa: Preact through vite's own JSX transform, and a service worker that precaches it.
import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "vite";
import { VitePWA } from "vite-plugin-pwa";
import { serviceWorkerScripts } from "./scripts/build/service-worker.ts";

/** Schemas that nothing on the phone reads are left out of its bundle: making one has no effect. */
const schemaCalls = [
  "array",
  "boolean",
  "discriminatedUnion",
  "enum",
  "extend",
  "int",
  "literal",
  "nullable",
  "number",
  "object",
  "omit",
  "optional",
  "pick",
  "record",
  "regex",
  "strictObject",
  "string",
  "union",
  "unknown",
].map((name) => `z.${name}`);

const paper = "#faf8f3";

export default defineConfig(async ({ command }): Promise<UserConfig> => {
  // What is built is what is served: the NODE_ENV of a test that builds would leave the service worker out.
  if (command === "build") process.env.NODE_ENV = "production";
  const ours = await serviceWorkerScripts(fileURLToPath(new URL(".", import.meta.url)));
  return {
    root: "pwa",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir: "../dist/pwa",
      emptyOutDir: true,
      target: "es2022",
      sourcemap: false,
      rolldownOptions: {
        treeshake: { manualPureFunctions: schemaCalls },
        // Every file costs a slow phone some milliseconds: what is loaded together is one.
        output: {
          codeSplitting: {
            groups: [
              { name: "start", tags: ["$initial"] },
              { name: "session", test: /pwa[\\/](pages[\\/]session-page|session[\\/]hold-session)\.tsx?$/ },
            ],
          },
        },
      },
    },
    server: { proxy: { "^/api/[^.]*$": process.env.HANDRAIL_DEV_API ?? "http://127.0.0.1:8787" } },
    plugins: [
      {
        name: "service-worker-script",
        generateBundle() {
          for (const { name, code } of ours) this.emitFile({ type: "asset", fileName: name, source: code });
        },
      },
      VitePWA({
        injectRegister: false,
        // The person chooses when: a page whose lazy parts were replaced under it could not load them any more.
        registerType: "prompt",
        includeAssets: ["icon.svg", "apple-touch-icon.png"],
        manifest: {
          id: "/",
          name: "Handrail",
          short_name: "Handrail",
          description: "A coding agent held in one hand.",
          start_url: "/",
          display: "standalone",
          background_color: paper,
          theme_color: paper,
          shortcuts: [
            {
              name: "New session",
              url: "/#/new",
              icons: [{ src: "/icon-192.png", type: "image/png", sizes: "192x192" }],
            },
            {
              name: "Settings",
              url: "/#/settings",
              icons: [{ src: "/icon-192.png", type: "image/png", sizes: "192x192" }],
            },
          ],
          share_target: {
            action: "/",
            method: "GET",
            params: { title: "share-title", text: "share-text", url: "share-url" },
          },
          icons: [
            { src: "/icon.svg", type: "image/svg+xml", sizes: "any" },
            { src: "/icon-192.png", type: "image/png", sizes: "192x192" },
            { src: "/icon-512.png", type: "image/png", sizes: "512x512" },
            { src: "/icon-maskable-512.png", type: "image/png", sizes: "512x512", purpose: "maskable" },
          ],
        },
        workbox: {
          mode: "production",
          // The first visit opens offline from then on; later versions wait until they are asked for.
          clientsClaim: true,
          globPatterns: ["**/*.{js,css,html,svg,png,webmanifest}"],
          // The browser keeps them with the service worker itself; new ones have new names.
          importScripts: [`/${ours[0].name}`],
          globIgnores: ours.map(({ name }) => name),
          navigateFallback: "/index.html",
          navigateFallbackDenylist: [/^\/api\//],
          cleanupOutdatedCaches: true,
          inlineWorkboxRuntime: true,
        },
      }),
    ],
  };
});
