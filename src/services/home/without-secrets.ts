/**
 * What looks like a secret is taken out, whoever put it there: our own tokens and tickets, what stands behind `Bearer`,
 * logins in addresses, members, flags and headers that are called after what they hold, and the usual forms of other
 * people's keys; in plain text, in JSON, in JSON inside of JSON and percent-encoded.
 * Every form is bounded, so that a long line costs no more than its length.
 */
export function withoutSecrets(text: string): string {
  return FORMS.reduce((left, [form, put]) => left.replace(form, put), text);
}

const GONE = "[secret]";

/** Names of secrets, also within longer names: `ANTHROPIC_API_KEY`, `clientSecret`. */
const NAME =
  "(?:password|passwd|passphrase|pgpass|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization|credential|cookie)";

const FORMS: readonly (readonly [RegExp, string])[] = [
  // No word boundary before a key: there is none in `%20nst_`.
  [/n(?:mo|mt|st)(?:_|%5f)[0-9a-f]{8,}/gi, GONE],
  [/nomos\.ticket\.[0-9a-f]{8,}/gi, GONE],
  [/(Bearer|Basic)((?:\s|%20|[+:]|\\{1,4}[nrt"]|"){1,8})[\w.~+/=%-]{6,}/gi, `$1$2${GONE}`],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@"\\]{0,100}):(?:[^\s"\\]|\\.){0,300}@/gi, `$1:${GONE}@`],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s:/@"\\?#[]{1,300}@/gi, `$1${GONE}@`],
  [/([a-z][a-z0-9+.-]{0,20}(?::|%3a)%2f%2f)[^\s"\\/?&]{1,400}?%40/gi, `$1${GONE}%40`],
  [new RegExp(`("[^"\\\\]{0,40}${NAME}[^"\\\\]{0,20}"\\s{0,4}:\\s{0,4})"(?:[^"\\\\]|\\\\.)+"`, "gi"), `$1"${GONE}"`],
  [
    new RegExp(
      `((\\\\+)"[^"\\\\]{0,40}${NAME}[^"\\\\]{0,20}\\2"\\s{0,4}:\\s{0,4}\\2")(?:[^"\\\\]|\\\\+(?![\\\\"])|(?!\\2")\\\\+")+`,
      "gi",
    ),
    `$1${GONE}`,
  ],
  [new RegExp(`(${NAME}[\\w-]{0,20}(?:=|%3d))(?:'[^'"]*'|[^\\s&"'\\\\,;]+)`, "gi"), `$1${GONE}`],
  [/([?&](?:key|sig|signature|auth)=)[^\s&"'\\]+/gi, `$1${GONE}`],
  [
    new RegExp(`(--?[a-z-]{0,30}${NAME}[a-z-]{0,10}(?:\\\\*"\\s{0,4},\\s{0,4}\\\\*"|\\s{1,4}))[^\\s"\\\\]+`, "gi"),
    `$1${GONE}`,
  ],
  [
    /((?:x-api-key|api-key|x-auth-token|private-token|authorization|cookie)\s{0,4}:\s{0,4})(?!\[)[^\s"'\\,][^"\\\r\n]{0,400}/gi,
    `$1${GONE}`,
  ],
  [
    /(?<=^|[^A-Za-z]|%[0-9A-Fa-f]{2})(?:sk|pk|rk|xox[abeps]|gh[opusr]|github_pat|glpat|npm|hf|AKIA|ASIA|AIza)[-_]?[A-Za-z0-9_-]{16,}/g,
    GONE,
  ],
  [/eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g, GONE],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, GONE],
];
