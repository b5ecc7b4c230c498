import { expect, test } from "vitest";
import { notifySecrets, notifySettings } from "../../../functions/notify/push-settings.ts";
import { makeVapidPair } from "../../../scripts/launch/vapid.ts";

const { publicKey, privateKey } = makeVapidPair();
const env = {
  HANDRAIL_VAPID_PUBLIC: publicKey,
  HANDRAIL_VAPID_PRIVATE: privateKey,
  HANDRAIL_VAPID_SUBJECT: "mailto:me@example.com",
};

test("without keys nobody is notified", () => {
  expect(notifySettings({})).toEqual({});
});

test("keys, subject, other origins and a webhook are used as written", () => {
  const more = {
    HANDRAIL_PUSH_ORIGINS: "https://push.example.com, http://127.0.0.1:9999",
    HANDRAIL_NOTIFY_URL: "https://ntfy.sh/me",
    HANDRAIL_NOTIFY_SECRET: "a secret",
  };
  expect(notifySettings({ ...env, ...more })).toEqual({
    push: {
      publicKey,
      privateKey,
      subject: "mailto:me@example.com",
      origins: ["https://push.example.com", "http://127.0.0.1:9999"],
    },
    webhook: { url: "https://ntfy.sh/me", secret: "a secret" },
  });
});

test.each([
  ["HANDRAIL_VAPID_PUBLIC", ""],
  ["HANDRAIL_VAPID_PUBLIC", "short"],
  ["HANDRAIL_VAPID_PRIVATE", "-----BEGIN PRIVATE KEY-----"],
  ["HANDRAIL_VAPID_PRIVATE", ""],
  ["HANDRAIL_VAPID_SUBJECT", ""],
  ["HANDRAIL_VAPID_SUBJECT", "mailto:me@localhost"],
  ["HANDRAIL_PUSH_ORIGINS", "http://push.example.com"],
  ["HANDRAIL_PUSH_ORIGINS", "https://push.example.com/path"],
  ["HANDRAIL_PUSH_ORIGINS", "push.example.com"],
  ["HANDRAIL_NOTIFY_URL", "ntfy.sh/me"],
  ["HANDRAIL_NOTIFY_URL", "file:///etc/passwd"],
  ["HANDRAIL_NOTIFY_URL", "ftp://ntfy.sh/me"],
])("%s=%s is refused by its name", (name, value) => {
  expect(() => notifySettings({ ...env, [name]: value })).toThrow(name);
});

test("without a secret of its own a webhook is signed with the token; both secrets are hidden from models", () => {
  const own = { HANDRAIL_NOTIFY_URL: "https://ntfy.sh/me", HANDRAIL_TOKEN: "the token" };
  expect(notifySettings(own).webhook?.secret).toBe("the token");
  expect(notifySecrets({ ...env, HANDRAIL_NOTIFY_SECRET: "s" })).toEqual([privateKey, "s"]);
  expect(notifySecrets({})).toEqual([]);
});
