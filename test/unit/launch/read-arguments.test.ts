import { describe, expect, test } from "vitest";
import { options } from "../../../scripts/launch/option-table.ts";
import { readArguments } from "../../../scripts/launch/read-arguments.ts";
import { SettingsError } from "../../../scripts/launch/settings-error.ts";

const read = (...args: string[]) => readArguments(args, "/somewhere", "npx handrail");
const refusal = (...args: string[]) => {
  try {
    read(...args);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return "taken";
};

describe("the command line", () => {
  test("options are the variables' names, and paths are absolute", () => {
    expect(
      read("../a repo", "--port", "9000", "--base-url=http://127.0.0.1:1/v1", "--open").variables,
    ).toEqual({
      HANDRAIL_WORKSPACE: "/a repo",
      PORT: "9000",
      OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
      HANDRAIL_OPEN: "1",
    });
    expect(read("--state", "kept").variables).toEqual({ HANDRAIL_STATE: "/somewhere/kept" });
  });

  test("--tunnel takes the name of a program, and any other word stays the folder", () => {
    expect(read("--tunnel", "repo").variables).toEqual({
      HANDRAIL_TUNNEL: "1",
      HANDRAIL_WORKSPACE: "/somewhere/repo",
    });
    expect(read("--tunnel=cloudflared").variables).toEqual({ HANDRAIL_TUNNEL: "cloudflared" });
    expect(read("--tunnel", "cloudflared", "repo").variables).toEqual({
      HANDRAIL_TUNNEL: "cloudflared",
      HANDRAIL_WORKSPACE: "/somewhere/repo",
    });
    expect(read("--tunnel", "--open", "tailscale").variables).toMatchObject({
      HANDRAIL_TUNNEL: "1",
      HANDRAIL_WORKSPACE: "/somewhere/tailscale",
    });
  });

  test("commands, help and version", () => {
    expect(read("doctor", "--port", "1").command).toBe("doctor");
    expect(read("service", "uninstall")).toMatchObject({ command: "service", action: "uninstall" });
    expect(read("./doctor").variables.HANDRAIL_WORKSPACE).toBe("/somewhere/doctor");
    expect(read("-h").command).toBe("help");
    expect(read("service", "--help").command).toBe("help");
    expect(read("--version").command).toBe("version");
  });

  test.each([
    [["--prot", "1"], "There is no option --prot; did you mean --port?"],
    [["--modle=x"], "There is no option --modle; did you mean --model?"],
    [["-p", "1"], "There is no option -p; npx handrail --help lists them."],
    [["--network", "full"], "There is no option --network; set the variable HANDRAIL_NETWORK instead."],
    [
      ["--openai-api-key", "k"],
      "There is no option --openai-api-key; set the variable OPENAI_API_KEY instead.",
    ],
    [
      ["--workspace", "x"],
      "There is no option --workspace; write the folder without one: npx handrail FOLDER.",
    ],
    [["--zzzzzzzz"], "There is no option --zzzzzzzz; npx handrail --help lists them."],
    [["--port"], "--port needs a value; write --port N."],
    [["--port", "--open"], "--port needs a value; write --port N."],
    [["--open=yes"], "--open takes no value; write --open alone."],
    [
      ["a", "b"],
      'One folder can be served at a time, and "b" is a second; put a path with spaces in quotes.',
    ],
    [["service", "instal"], 'service has no "instal"; did you mean service install?'],
    [
      ["service"],
      "service needs to know what to do; write service install, service uninstall, service status.",
    ],
  ])("%j is refused in one sentence that says what to do", (args, sentence) => {
    expect(refusal(...args)).toBe(sentence);
  });

  test("every option is in --help with its variable", async () => {
    const { help } = await import("../../../scripts/launch/help.ts");
    const text = help("handrail", "1.2.3", "/docs/settings.md", { HOME: "/home/p" });
    for (const { name, variable } of options) {
      expect(text).toContain(`  --${name}`);
      expect(text).toContain(`--${name} ${variable}`);
    }
    expect(text).toContain("/home/p/.config/handrail/config.json");
  });
});
