// Puts the finished OpenAPI document into a bundle instead of the schemas' generator, which is 6 KB of script.
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

export const openapiAsData: Plugin = {
  name: "openapi-as-data",
  setup(build) {
    build.onLoad({ filter: /[\\/]routes[\\/]openapi-document\.ts$/ }, async ({ path }) => {
      const { openapiDocument } = await import(pathToFileURL(path).href);
      return { contents: `export const openapiDocument = ${JSON.stringify(openapiDocument)};`, loader: "js" };
    });
  },
};
