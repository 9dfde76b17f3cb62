import type { Json } from "../../kernel/index.ts";

/** Files that were read or modified. A compaction lists them, so that the model can find them again. */
export interface TouchedFiles {
  readonly read: readonly string[];
  readonly modified: readonly string[];
}

/** What one call of a tool did. */
export interface Touch {
  /** The tool's name, or its kind where a foreign agent reports it. */
  readonly names: readonly string[];
  readonly places: readonly { readonly path: string }[];
  readonly diffs: readonly { readonly path: string }[];
  /** The call's input as JSON text: its path counts where no place is reported. */
  readonly input: string;
}

export function touchedFiles({ names, places, diffs, input }: Touch): TouchedFiles {
  const changed = diffs.map(({ path }) => path);
  const reported = [...places, ...diffs].map(({ path }) => path);
  const paths = reported.length > 0 ? reported : pathsIn(input);
  if (names.some((name) => MODIFYING.has(name))) return { read: [], modified: paths };
  return { read: names.some((name) => READING.has(name)) ? paths : [], modified: changed };
}

/** The lists of several in one, oldest first; a modified file is not listed as read. */
export function joinFiles(all: readonly TouchedFiles[]): TouchedFiles {
  const modified = new Set(all.flatMap((files) => files.modified));
  const read = new Set(all.flatMap((files) => files.read).filter((path) => !modified.has(path)));
  return { read: [...read], modified: [...modified] };
}

/** The path in a tool's input or an effect's detail. */
export function pathIn(detail: Json): string | null {
  if (typeof detail !== "object" || detail === null || Array.isArray(detail)) return null;
  for (const key of ["path", "file_path", "filePath"]) {
    const path: unknown = Reflect.get(detail, key);
    if (typeof path === "string" && path !== "") return path;
  }
  return null;
}

function pathsIn(input: string): readonly string[] {
  const path = pathIn(jsonIn(input));
  return path === null ? [] : [path];
}

/** Null for text that is no JSON: a model may write anything. */
function jsonIn(text: string): Json {
  try {
    const parsed: Json = JSON.parse(text);
    return parsed;
  } catch {
    return null;
  }
}

const READING: ReadonlySet<string> = new Set(["read"]);
const MODIFYING: ReadonlySet<string> = new Set(["write", "edit", "delete", "move"]);
