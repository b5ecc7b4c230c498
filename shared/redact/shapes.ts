// The forms of well-known tokens. Data only: how each begins, how it continues, and its minimum length.
import { looksRandom } from "./judge-value.ts";
import { type Shape, tokenShape } from "./token.ts";

const word = "A-Za-z0-9_";
const dashed = `${word}\\-`;
const dotted = `${word}.\\-`;
const letters = "A-Za-z0-9";
const hex = "A-Fa-f0-9";
const base64 = "A-Za-z0-9+/=";
const uuid = `[${hex}]{8}(?:-[${hex}]{4}){3}-[${hex}]{12}`;

const token = (kind: string, prefixes: string, minLength: number, body = dashed): Shape =>
  tokenShape(kind, prefixes.split(" "), minLength, body);

/** A form with several parts: `rest` is a pattern of characters of `body`. */
const parts = (kind: string, prefixes: string, body: string, rest: string): Shape => ({
  kind,
  prefixes: prefixes.split(" "),
  body,
  rest,
});

/** A form whose prefix also occurs before ordinary words, so the rest must look random. */
const random = (shape: Shape, minLength = 16): Shape => ({
  ...shape,
  is: (rest) => looksRandom(rest, minLength),
});

/**
 * Sources: the vendors' own pages, as GitHub's list of secret scanning patterns names them
 * (https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns), and the
 * prefixes and lengths in gitleaks (https://github.com/gitleaks/gitleaks, MIT) and secretlint
 * (https://github.com/secretlint/secretlint, MIT). If several prefixes fit at one place, only the form with the longest
 * one is tried.
 */
export const shapes: readonly Shape[] = [
  // OpenAI, Anthropic, OpenRouter, DeepSeek and others. The names of CSS classes with this prefix continue with words.
  {
    ...token("API key", "sk-", 20),
    is: (rest) => !/^[a-z]+(?:[-_][a-z\d]{0,12})*$/.test(rest) || looksRandom(rest, 20),
  },
  parts("npm token", ":_authToken=", `${hex}-`, uuid),
  token("API key", "xai- gsk_", 40),
  token("API key", "pplx- nvapi- r8_ pcsk_ fw_", 24, dashed),
  token("API key", "lsv2_pt_ lsv2_sk_ sk_org_ sk_car_", 24, word),
  parts("Hugging Face token", "hf_ api_org_", word, `[${letters}]{30,40}(?![${word}])`),

  token("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", 36, word),
  token("GitHub token", "github_pat_", 50, word),
  parts(
    "GitLab token",
    "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- gloas- glffct- glwt- GR1348941",
    dotted,
    `[${dashed}]{20,}(?:\\.[a-z0-9]{2}\\.?[a-z0-9]{7,9})?`,
  ),
  token("GitLab token", "_gitlab_session=", 32, letters),
  token("Bitbucket token", "ATBB", 32, letters),
  token("Atlassian token", "ATATT3 ATCTT3", 100, `${dashed}=`),

  // An AWS key with its secret, if the secret follows directly, as in the console's table, in a call or in `--output text`.
  {
    ...parts(
      "AWS access key",
      "AKIA ASIA ABIA ACCA",
      `${base64},"' \\t:\\-`,
      `[A-Z0-9]{16,}(?:(?:["']?, ?["']?|\\t[\\dTZ:-]{20,25}\\t)[A-Za-z0-9+/]{40}(?![${base64}]))?`,
    ),
    // The key in AWS's documents is AKIAIOSFODNN7EXAMPLE.
    is: (rest) => !rest.endsWith("EXAMPLE"),
  },
  token("AWS access key", "A3T", 17, "A-Z0-9"),
  token("AWS key", "ABSK bedrock-api-key-", 80, base64),
  token("AWS key", "amzn.mws. amzn1.oa2-cs.v1.", 32, dashed),
  token("Google API key", "AIza", 35),
  token("Google token", "ya29.", 20, `${dashed}.`),
  token("Google token", "GOCSPX-", 20),
  token("Google token", "1//0", 30),
  {
    ...parts("Azure secret", "Q~", `${dashed}.~`, `[${dashed}.~]{31,34}(?![${dashed}.~])`),
    after: /(?<![\w.~-])[\w.~]{3}\d$/,
  },
  token("Azure secret", "sig=", 40, `${base64}%`),
  // Keys with the annotation that Azure DevOps and other services share; 52 characters come before it.
  { ...parts("Azure secret", "JQQJ9", letters, `[${letters}]{27}`), after: /[A-Za-z0-9]{16}$/ },
  token("Alibaba key", "LTAI", 12, letters),
  token("Yandex token", "AQVN y0_", 32),
  token("DigitalOcean token", "doo_v1_ dop_v1_ dor_v1_", 40, hex),
  token("Cloudflare token", "cfk_ cfut_ cfat_", 40, letters),
  parts("Cloudflare token", "v1.0-", `${hex}-`, `[${hex}]{24}-[${hex}]{100,}`),
  token("Fly token", "fo1_", 40),
  token("Fly token", "fm1a_ fm1r_ fm2_", 80, base64),
  token("Heroku token", "HRKU-", 30),
  token("Netlify token", "nfp_ nfc_ nfo_", 30, letters),
  token("Vercel token", "vcp_ vci_ vca_ vcr_ vck_", 20, letters),
  token("Vercel token", "vercel_blob_rw_", 20, word),
  token("Supabase key", "sbp_ sb_secret_", 20),
  token("PlanetScale token", "pscale_tkn_ pscale_oauth_ pscale_pw_", 30, `${dotted}=`),
  token("Database token", "napi_ xau_ AVNS_ mdb_sa_sk_", 16),
  random(token("ClickHouse key", "4b1d", 38, letters)),
  token("Databricks token", "dapi", 32, `${hex}-`),

  {
    ...token(
      "Slack token",
      "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xwfp-",
      10,
      `${dashed}%.+/=`,
    ),
    // Words and variable names with these prefixes contain few digits.
    is: (rest) => (rest.match(/\d/g)?.length ?? 0) >= 3,
  },
  token("Slack token", "xoxe.xoxb- xoxe.xoxp-", 20),
  token(
    "Slack webhook",
    "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
    16,
    `${dashed}/+`,
  ),
  token("Slack webhook", "hooks.slack-gov.com/services/", 16, `${dashed}/+`),
  token("Discord webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", 50, `${dashed}/`),
  parts(
    "Discord token",
    "MT MD Mj Mz ND NT Nj Nz OD OT",
    dotted,
    `[${dashed}]{20,26}\\.[${dashed}]{6}\\.[${dashed}]{25,}`,
  ),
  token("Zapier webhook", "hooks.zapier.com/hooks/catch/", 12, `${dashed}/`),
  token("Teams webhook", ".webhook.office.com/webhookb2/", 60, `${dashed}/@`),
  { ...token("Telegram token", ":AA", 32), after: /\d{8,10}$/ },
  { ...token("Firebase key", ":APA91b", 100), after: /[\w-]{11}$/ },
  { ...token("Okta token", "", 38), prefixes: ["SSWS 00"] },
  token("Twilio key", "SK", 32, "a-f0-9"),
  parts("SendGrid key", "SG.", dotted, `[${dashed}]{16,128}\\.[${dashed}]{16,}`),
  token("Mailgun key", "key- pubkey-", 32, "a-f0-9"),
  token("Brevo key", "xkeysib- xsmtpsib-", 40),
  parts("Resend key", "re_", word, `[${letters}]{8}_[${letters}]{20,}`),

  token("Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_", 16, word),
  token("Stripe key", "whsec_", 24, `${base64}_-`),
  token("Square token", "EAAA sq0atp- sq0csp-", 22),
  token("Facebook token", "EAAC EAAM EAAB EAAG", 100, letters),
  // An app's token is its number and its secret (https://developers.facebook.com/docs/facebook-login/guides/access-tokens).
  random(
    {
      ...parts(
        "Facebook token",
        `${[..."0123456789"].join("| ")}| %7C %7c`,
        dashed,
        `[${dashed}]{27,40}(?![${dashed}])`,
      ),
      after: /(?<!\d)[1-9]\d{13,15}$/,
    },
    27,
  ),
  token("Shopify token", "shpat_ shpca_ shppa_ shpss_ shpua_", 32, hex),
  token("Payment key", "rzp_live_ rzp_test_ FLWSECK- FLWSECK_TEST- FLWPUBK_TEST-", 12),
  parts("Payment key", "EZAK EZTK", letters, `[${letters}]{54}(?![${letters}])`),
  token("Payment key", "access_token$production$ access_token$sandbox$", 32, `${letters}$`),
  token("Payment key", "access-sandbox- access-development- access-production-", 36, "a-f0-9-"),
  token("Payment key", "shippo_live_ shippo_test_ duffel_live_ duffel_test_", 30, `${dashed}=`),

  // The rest contains no underscore, because `npm_package_…` and `npm_config_…` are variables.
  token("npm token", "npm_", 36, letters),
  token("PyPI token", "pypi-AgE", 32),
  token("RubyGems token", "rubygems_", 40, hex),
  token("NuGet key", "oy2", 43, "a-z0-9"),
  random(token("crates.io token", "cio", 32, letters)),
  token("Clojars token", "CLOJARS_ clojars_", 50, letters),
  token("Docker token", "dckr_pat_ dckr_oat_", 20),
  token("Artifactory token", "AKCp cmVmd", 59, letters),

  parts("Vault token", "hvs. hvb. hvr.", dashed, `[${dashed}]{24,}`),
  random({
    ...token("Vault token", "s.", 24, letters),
    rest: `[${letters}]{24}(?![${word}.])`,
    body: `${word}.`,
  }),
  { ...token("Terraform token", ".atlasv1.", 40, `${dashed}=`), after: /[A-Za-z0-9]{14}$/ },
  token("Doppler token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", 40, dotted),
  token("Pulumi token", "pul-", 40, "a-f0-9"),
  token("1Password key", "ops_ey", 100, base64),
  parts(
    "1Password key",
    "A3-",
    "A-Z0-9-",
    "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
  ),
  token("age key", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1 age-secret-key-1", 40, letters),
  token("OpenShift token", "sha256~", 40),
  token("Tailscale key", "tskey-", 16),
  parts("Harness token", "pat. sat.", dotted, `[${dashed}]{22}\\.[${letters}]{24}\\.[${letters}]{20}`),
  token("CI token", "CCIPAT_ CCIPRJ_ bkua_ bkct_ glcit-", 30, dashed),
  token("Octopus key", "API-", 25, "A-Z0-9"),

  token("Grafana token", "glc_ glsa_ eyJrIjoi", 32, `${base64}_`),
  token("Sentry token", "sntrys_ sntryu_", 40, `${base64}_-`),
  token("New Relic key", "NRAK- NRJS- NRII- NRIQ- NRRA-", 19, dashed),
  parts(
    "Dynatrace token",
    "dt0c01. dt0s01. dt0s02. dt0e01.",
    "A-Za-z0-9.",
    "[A-Za-z0-9]{8,}\\.[A-Za-z0-9]{40,}",
  ),
  token("Sonar token", "squ_ sqp_ sqa_", 40, hex),
  token("Sourcegraph token", "sgp_", 40, word),
  token("PostHog key", "phx_", 40, letters),

  token("Notion token", "ntn_", 40, letters),
  random(token("Notion token", "secret_", 40, letters)),
  token("Linear key", "lin_api_ lin_oauth_", 30, word),
  parts("Mapbox token", "sk.eyJ tk.eyJ", dotted, `[${dashed}]{40,}\\.[${dashed}]{20,}`),
  token("Figma token", "figd_ figo_ figu_", 30),
  parts("Airtable token", "pat", "A-Za-z0-9.", `[${letters}]{14}\\.[a-f0-9]{64}`),
  token("Postman key", "PMAK-", 50, `${hex}-`),
  token("HubSpot token", "pat-na1- pat-na2- pat-eu1-", 36, `${hex}-`),
  token("Dropbox token", "sl.", 60, dashed),
  token("Contentful token", "CFPAT-", 40),
  token("Adobe secret", "p8e-", 30),
  parts("Salesforce token", "00D", `${word}!.`, `[${letters}]{12,15}![${word}.]{40,}`),
  token("LinkedIn secret", "WPL_AP1.", 12, `${word}.=`),
  token("API token", "rdme_ pnu_ tfp_ rnd_ aio_ phs_ zpka_", 28, `${dashed}`),
  token("API token", "sm_aat_ sm_pat_ sm_sat_ endr+", 16, letters),
  random(token("API token", "tvly- jina_ rpa_ tgp_v1_ csk- apify_api_ ddp_ ddw_ sqco_ pgar_ ramp_sec_", 28)),
  random(token("API token", "ak_live_ ak_test_ shltm_ spu- NF- da2- bb_pr_ bb_ma_ BBFF- sec-c-", 26)),
  random(token("API token", "e2b_ rootly_ slk_ fc- sdk-", 32, `${hex}-`), 32),
  // ElevenLabs, Klaviyo, Voiceflow.
  token("API token", "sk_", 48, "a-f0-9"),
  parts("API token", "pk_", word, "(?:[A-Za-z0-9]{6}_)?[a-f0-9]{34}"),
  parts("API token", "VF.", "A-Za-z0-9.", "(?:DM\\.|WS\\.)?[a-f0-9]{24}\\.[A-Za-z0-9]{16}"),
  parts("API token", "1000.", `${hex}.`, `[${hex}]{32}\\.[${hex}]{32}`),
  parts("API token", "st.", `${hex}.-`, `[${hex}-]{24,36}(?:\\.[${hex}]{32}){2}`),
  // Asana.
  parts("API token", "0/1 1/1 2/1", `${hex}/:`, `\\d{12,15}(?:/\\d{12,16})?:[${hex}]{32}`),
  // Modal.
  random(token("API token", "ak- as-", 22, letters), 22),
  // ngrok; 27 characters come before it.
  random(
    {
      ...parts("API token", "_1 _2 _3 _4 _5 _6 _7 _8", word, `[${letters}]{19,24}(?![${word}])`),
      after: /[A-Za-z0-9]{16}$/,
    },
    19,
  ),
  token("API token", "fio-u- tk-us- dnkey- ico- s-s4t2ud- s-s4t2af-", 32, `${dashed}=`),
  parts(
    "API token",
    "sc_ ext_ scauth_ authress_",
    `${dashed}.+/=`,
    "[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[a-z0-9+/_=-]{30,}",
  ),

  // In /etc/shadow and .htpasswd, as crypt(5) writes them.
  parts("password hash", "$2a$ $2b$ $2y$", "A-Za-z0-9./$", "\\d\\d\\$[A-Za-z0-9./]{53}"),
  parts("password hash", "$1$ $apr1$", "A-Za-z0-9./$", "[A-Za-z0-9./]{1,8}\\$[A-Za-z0-9./]{22}"),
  parts(
    "password hash",
    "$6$ $5$",
    "A-Za-z0-9./$=",
    "(?:rounds=\\d{1,9}\\$)?[A-Za-z0-9./]{1,16}\\$[A-Za-z0-9./]{43,86}",
  ),
  parts(
    "password hash",
    "$y$ $gy$",
    "A-Za-z0-9./$",
    "[A-Za-z0-9./]{1,16}\\$[A-Za-z0-9./]{1,86}\\$[A-Za-z0-9./]{43}",
  ),

  token("password hash", "{SHA} {SSHA} {SSHA256} {SSHA512}", 27, base64),

  // JSON web tokens, signed or encrypted.
  parts(
    "web token",
    "eyJ",
    `${dotted}=`,
    `[${dashed}]{10,400}\\.(?:[${dashed}]{10,}\\.){0,3}[${dashed}]{10,}={0,2}`,
  ),
];
