// The package registries that `registries` opens: exact hosts, each from the tool's own documentation or
// defaults. Hosts that also serve content from anybody (github.com, gist, unpkg, esm.sh) are not included.

export const registryHosts: readonly string[] = [
  // npm: the default of `registry`, https://docs.npmjs.com/cli/using-npm/config#registry
  "registry.npmjs.org",
  // Yarn 1 and its successors: https://yarnpkg.com/configuration/yarnrc#npmRegistryServer, and the host from
  // which Corepack downloads them.
  "registry.yarnpkg.com",
  "repo.yarnpkg.com",
  // JSR for Deno and npm: https://jsr.io/docs/npm-compatibility
  "jsr.io",
  "npm.jsr.io",
  // Node's headers, which node-gyp builds against: https://github.com/nodejs/node-gyp#configuring-nodejs-headers
  "nodejs.org",
  // PyPI: https://docs.pypi.org/api/index-api/ names both.
  "pypi.org",
  "files.pythonhosted.org",
  // conda: https://docs.conda.io/projects/conda/en/stable/user-guide/configuration/settings.html
  "conda.anaconda.org",
  "repo.anaconda.com",
  // Rust: the sparse index and its `dl`, https://doc.rust-lang.org/cargo/reference/registry-index.html; rustup.
  "index.crates.io",
  "static.crates.io",
  "crates.io",
  "static.rust-lang.org",
  // Go: the defaults of GOPROXY and GOSUMDB, https://go.dev/ref/mod#environment-variables
  "proxy.golang.org",
  "sum.golang.org",
  // Ruby: https://guides.rubygems.org/rubygems-org-compact-index-api/
  "rubygems.org",
  "index.rubygems.org",
  // Maven Central under both names: https://central.sonatype.org/consume/consume-apache-maven/
  "repo.maven.apache.org",
  "repo1.maven.org",
  // Gradle's plugins and wrapper: https://docs.gradle.org/current/userguide/plugins.html, gradle_wrapper.html
  "plugins.gradle.org",
  "plugins-artifacts.gradle.org",
  "services.gradle.org",
  "downloads.gradle.org",
  // Google's Maven repository: https://developer.android.com/build/remote-repositories
  "maven.google.com",
  "dl.google.com",
  // NuGet: https://learn.microsoft.com/nuget/api/overview
  "api.nuget.org",
  // Composer: https://packagist.org/apidoc
  "packagist.org",
  "repo.packagist.org",
  // Erlang and Elixir: https://hex.pm/docs/mirrors
  "hex.pm",
  "repo.hex.pm",
  "builds.hex.pm",
  // Dart: https://dart.dev/tools/pub/environment-variables
  "pub.dev",
  // Haskell: https://hackage.haskell.org/api
  "hackage.haskell.org",
  // Perl: https://metacpan.org/pod/App::cpanminus
  "www.cpan.org",
  "cpan.metacpan.org",
  "fastapi.metacpan.org",
  // R: https://cran.r-project.org/mirrors.html
  "cran.r-project.org",
  "cloud.r-project.org",
  // OCaml: https://opam.ocaml.org/doc/Usage.html
  "opam.ocaml.org",
  // CocoaPods: https://guides.cocoapods.org/syntax/podfile.html#source
  "cdn.cocoapods.org",
  // Debian: https://www.debian.org/doc/manuals/debian-reference/ch02
  "deb.debian.org",
  "security.debian.org",
  // Ubuntu: /etc/apt/sources.list of its images.
  "archive.ubuntu.com",
  "security.ubuntu.com",
  "ports.ubuntu.com",
  // Alpine: /etc/apk/repositories of its images, https://wiki.alpinelinux.org/wiki/Repositories
  "dl-cdn.alpinelinux.org",
];
