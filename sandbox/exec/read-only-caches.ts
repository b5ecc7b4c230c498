// Puts the caches of programs in /tmp, which is the command's own, for commands that must not write to the
// workspace. Many programs fail or warn on every line if they cannot write beside the sources.

const caches = "/tmp/.cache";

/**
 * Each program documents these variables for its cache. Values that a command sets itself have precedence.
 */
export const readOnlyCaches: Readonly<Record<string, string>> = {
  // https://specifications.freedesktop.org/basedir-spec/latest/
  XDG_CACHE_HOME: caches,
  // https://docs.pytest.org/en/stable/how-to/cache.html
  PYTEST_ADDOPTS: "-p no:cacheprovider",
  // https://docs.python.org/3/using/cmdline.html#envvar-PYTHONPYCACHEPREFIX
  PYTHONPYCACHEPREFIX: `${caches}/python`,
  // https://coverage.readthedocs.io/en/latest/config.html#run-data-file
  COVERAGE_FILE: `${caches}/coverage`,
  // https://mypy.readthedocs.io/en/stable/command_line.html#incremental-mode
  MYPY_CACHE_DIR: `${caches}/mypy`,
  // https://docs.astral.sh/ruff/settings/#cache-dir
  RUFF_CACHE_DIR: `${caches}/ruff`,
  // https://doc.rust-lang.org/cargo/reference/environment-variables.html
  CARGO_TARGET_DIR: `${caches}/cargo`,
  // https://docs.npmjs.com/cli/v10/using-npm/config#cache
  npm_config_cache: `${caches}/npm`,
};
