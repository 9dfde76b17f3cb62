/** What the redactor puts in the place of a secret. A model never sees the secret itself. */
const MARK = /\[redacted:[a-z0-9-]+:[0-9a-f]{12}\]/g;

/** Why a text must not be written: it has a mark that the file has not, and the secret behind it would be lost. */
export function markProblem(before: string | null, after: string): string | null {
  const known = new Set(before?.match(MARK) ?? []);
  const added = after.match(MARK)?.find((mark) => !known.has(mark));
  return added === undefined
    ? null
    : `The new text contains ${added}, which stands for a secret that you are not shown. Writing it would lose the secret. Edit only the lines around it, or have the program read it from its environment.`;
}

/** Why an edit cannot find its place: the file has the secret where the model saw a mark. */
export function markInOld(old: string): string | null {
  const [mark] = old.match(MARK) ?? [];
  return mark === undefined
    ? null
    : `\`old\` contains ${mark}, which stands for a secret in the file. Choose text around it that does not contain it.`;
}
