/**
 * What looks like a secret is taken out, whoever put it there: our own tokens and tickets, what stands behind `Bearer`,
 * passwords in addresses, members that are called after what they hold, and the usual forms of other people's keys.
 * Every form is bounded, so that a long line costs no more than its length.
 */
export function withoutSecrets(text: string): string {
  return FORMS.reduce((left, [form, put]) => left.replace(form, put), text);
}

const GONE = "[secret]";

const FORMS: readonly (readonly [RegExp, string])[] = [
  [/\bnm[a-z]_[0-9a-f]{16,}/g, GONE],
  [/\bnomos\.ticket\.[0-9a-f]{8,}/g, GONE],
  [/\b(Bearer|Basic)(\s+)[\w.~+/=-]{6,}/gi, `$1$2${GONE}`],
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@"]{0,100}):[^\s/"]{0,300}@/gi, `$1:${GONE}@`],
  [/("[^"]{0,40}(?:password|passwd|secret|token|api[_-]?key|authorization)"\s*:\s*)"(?:[^"\\]|\\.)+"/gi, `$1"${GONE}"`],
  [/\b((?:password|passwd|secret|api[_-]?key|access[_-]?token)=)[^\s&"\\]+/gi, `$1${GONE}`],
  [/\b(?:sk|pk|rk|xox[abps]|gh[opusr]|glpat|AKIA|AIza)[-_]?[A-Za-z0-9_-]{16,}/g, GONE],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, GONE],
];
