interface Grouped<T> {
  readonly folder: string;
  readonly files: readonly T[];
}

/** Files grouped by the folder they lie in, folders and files a to z. */
export function byFolder<T extends { readonly path: string }>(files: readonly T[]): readonly Grouped<T>[] {
  const groups = Map.groupBy(files, ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  return [...groups]
    .map(([folder, own]) => ({ folder, files: own.toSorted((one, other) => compared(one.path, other.path)) }))
    .toSorted((one, other) => compared(one.folder, other.folder));
}

function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
