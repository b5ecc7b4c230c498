// Leaves the openai package's API classes out of a bundle: the edge posts through its client and calls none of them.
import type { Plugin } from "esbuild";

/**
 * The client makes an instance of every API it offers, which is half of a worker's script. Each is
 * replaced by a class with nothing in it; whoever comes to need one gets a method that does not exist,
 * in the first test that runs the bundle.
 */
export const onlyOpenAiCore: Plugin = {
  name: "only-openai-core",
  setup(build) {
    build.onResolve({ filter: /^\.\.?\/(?:.*\/)?resources\// }, ({ importer, path }) => {
      const [, within] = importer.split(/[\\/]node_modules[\\/]openai[\\/]/);
      if (within === undefined || within.startsWith("resources")) return undefined;
      return { path: path.replace(/\.mjs$/, ".cjs"), namespace: "left-out" };
    });
    // CommonJS, because its names need not be known when it is bundled.
    const contents = "module.exports = new Proxy({}, { get: () => class {} });";
    build.onLoad({ filter: /.*/, namespace: "left-out" }, () => ({ contents, loader: "js" }));
  },
};
