/** Files that change together: a schema and what is generated of it. */
export interface CoUpdate {
  readonly files: readonly string[];
  readonly label: string;
}

/** Files that should have changed, because others of their rule did. */
export function missingCoUpdates(
  changed: readonly string[],
  rules: readonly CoUpdate[],
): readonly { readonly file: string; readonly label: string }[] {
  const known = new Set(changed);
  return rules
    .filter(({ files }) => files.some((file) => known.has(file)))
    .flatMap(({ files, label }) => files.filter((file) => !known.has(file)).map((file) => ({ file, label })));
}
