import { folded } from "../../../domains/index.ts";

/** Why a name must not reach a branch; null when it may. Some file system or terminal would take it for another one. */
export function whyOdd(path: string): string | null {
  if (path.includes("\ufffd")) return "its name is no text (not UTF-8)";
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(path)) return "its name has control characters";
  if (/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(path)) return "its name changes the direction of text";
  if (path.includes("\\")) return "its name has a backslash, which Windows takes for a folder";
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return `its path is longer than ${PATH_BYTES_MAX} bytes`;
  for (const part of path.split("/")) {
    if (part === "" || part === "." || part === "..") return "its path is no path below the root";
    if (Buffer.byteLength(part) > NAME_BYTES_MAX) return `its name is longer than ${NAME_BYTES_MAX} bytes`;
    const taken = controlNameOf(part);
    if (taken === ".git") return "some file systems take its name for `.git`";
    if (taken !== null && taken !== part) return `some file systems take its name for \`${taken}\``;
  }
  return null;
}

/** What ext4, APFS and NTFS hold, and what a checkout can make everywhere. */
const NAME_BYTES_MAX = 255;
const PATH_BYTES_MAX = 1024;

const CONTROL = [".git", ".gitmodules", ".gitattributes", ".gitignore", ".mailmap"] as const;
type Control = (typeof CONTROL)[number];

/** The file of git's that a name is, also in the spellings of NTFS, HFS+ and file systems without case. */
export function controlNameOf(name: string): Control | null {
  const plain = folded(name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, ""))
    // NTFS: `.git::$INDEX_ALLOCATION` is `.git`, and so is `.git . .`
    .replace(/:.*$/s, "")
    .replace(/[ .]+$/, "");
  if (/^git~\d$/.test(plain)) return ".git";
  const short = /^(gitmod|gitatt|gitign|mailma)~\d$/.exec(plain)?.[1];
  return CONTROL.find((one) => one === plain || (short !== undefined && one.startsWith(`.${short}`))) ?? null;
}

/** Names among `paths`, or above them, that some file system takes for another one that is there. */
export function twinsOf(
  added: readonly string[],
  all: readonly string[],
): readonly { readonly path: string; readonly twin: string }[] {
  const wanted = new Map<string, string>();
  for (const path of added) for (const prefix of prefixesOf(path)) wanted.set(sameName(prefix), prefix);
  const twins = new Map<string, string>();
  const seen = new Set<string>();
  const compare = (other: string): void => {
    for (const prefix of prefixesOf(other)) {
      // Whatever is above it was compared too.
      if (seen.has(prefix)) return;
      seen.add(prefix);
      const mine = wanted.get(sameName(prefix));
      if (mine !== undefined && mine !== prefix) twins.set(mine, prefix);
    }
  };
  for (const other of [...all, ...added]) compare(other);
  return [...twins].map(([path, twin]) => ({ path, twin }));
}

/**
 * Upper case first: `ſ` has a lower case of its own. Characters that nobody sees count for nothing, as on HFS+; nor do
 * spaces and dots at the end of a name, or the name of its main stream, as on Windows.
 */
function sameName(path: string): string {
  const seen = folded(path.toUpperCase()).replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return seen.replace(/(?:::\$data)?[ .]*(?=\/|$)/g, "");
}

/** The path, then the folders above it. */
function prefixesOf(path: string): string[] {
  const found: string[] = [];
  for (let at = path.length; at > 0; at = path.lastIndexOf("/", at - 1)) found.push(path.slice(0, at));
  return found;
}
