import type { Result } from "./run-cases.ts";

/** One line per case, for a person or a CI log. Reasons quote the server, so control characters are removed. */
export function lineOf({ number, title, verdict, reason, ms }: Result): string {
  const text = reason === null ? title : `${title}: ${reason}`;
  return `${String(number).padStart(3)}  ${verdict.padEnd(8)}  ${plain(text)}  (${ms} ms)`;
}

export function summary(results: readonly Result[]): string {
  const counted = (["pass", "deviates", "not run", "fail"] as const).flatMap((verdict) => {
    const count = results.filter((result) => result.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  return `AIP-46, ${results.length} cases: ${counted.join(", ")}`;
}

/** Repeats the failed cases at the end, where a CI log is read first. */
export function failedLines(results: readonly Result[]): readonly string[] {
  return results
    .filter(({ verdict }) => verdict === "fail")
    .map(({ number, title, reason }) => `failed: case ${number}, ${title}: ${plain(reason ?? "")}`);
}

export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}
