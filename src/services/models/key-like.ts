import { NomosError } from "../../contract/index.ts";

/** Refuses a value that looks like a key. The error names the member, never the value. */
export function refuseKeys(given: { readonly [field: string]: string | undefined }): void {
  for (const [field, value] of Object.entries(given))
    if (value !== undefined && looksLikeKey(value)) throw new NomosError("key_in_argument", { field });
}

/** Beginnings that providers give their keys, so that people and scanners know them. */
const PREFIXED =
  /(?:^|[^A-Za-z0-9])(?:sk|pk|rk|key|xai|gsk|hf|nvapi|pplx|fw|ghp|gho|ghu|ghs|ghr|github_pat)[-_][A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{12,}|eyJ[A-Za-z0-9_-]{16,}\./;
/** Names of models and hosts have separators; random text of this length has none. */
const RANDOM = /[A-Za-z0-9+=]{28,}/g;

export function looksLikeKey(text: string): boolean {
  if (PREFIXED.test(text)) return true;
  return [...text.matchAll(RANDOM)].some(([run]) => /\d/.test(run) && /[A-Za-z]/.test(run));
}
