/**
 * Removes what looks like a secret: our tokens and passes, values after `Bearer`, logins in URLs, values of members, flags
 * and headers with a telling name, and common forms of other keys. Works in plain text, JSON, nested JSON and
 * percent-encoding. Every pattern is bounded, so that the time is linear in the length of the line.
 */
export function withoutSecrets(text: string): string {
  return FORMS.reduce((left, [form, put]) => left.replace(form, put), text);
}

const GONE = "[secret]";

/** Names of secrets, also inside longer names: `ANTHROPIC_API_KEY`, `clientSecret`. */
const NAME =
  "(?:password|passwd|passphrase|pgpass|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization|credential|cookie)";

const FORMS: readonly (readonly [RegExp, string])[] = [
  // No word boundary before a token: `%20nst_` has none.
  [/n(?:m[lopt]|st)(?:_|%5f)[0-9a-f]{8,}/gi, GONE],
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
