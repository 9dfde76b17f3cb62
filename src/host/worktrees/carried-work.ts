import { join } from "node:path";
import { fingerprint, isCarried, REBUILT } from "./carry-files.ts";
import { runTool } from "./run-tool.ts";
import type { Carried } from "./worktree-record.ts";

export interface CarriedFiles {
  readonly tree: string;
  /** Today's rules. Files carried under earlier rules are compared too. */
  readonly patterns: readonly string[];
  readonly carried: readonly Carried[];
  readonly tracked: () => Promise<ReadonlySet<string>>;
}

const ENOUGH = 20;

/**
 * Carried files (such as `.env`), or files in carried folders, that have changed or are new, even where everything is
 * ignored. Only folders that can be rebuilt are skipped.
 */
export async function changedCarried(asked: CarriedFiles): Promise<readonly string[]> {
  const { tree, carried } = asked;
  const known = new Map(carried.flatMap(({ path, sha256, files = [] }) => [{ path, sha256 }, ...files].map(pair)));
  const candidates = new Set([...(await filesOfTheKind(asked)), ...known.keys()]);
  if (candidates.size === 0) return [];
  const tracked = await asked.tracked();
  const changed: string[] = [];
  for (const path of candidates) {
    if (changed.length === ENOUGH) break;
    // A name that is not valid text cannot be looked up, so the file counts as changed.
    const isText = !path.includes("\ufffd");
    if (isText && tracked.has(path)) continue;
    const now = isText ? await fingerprint(join(tree, path)) : "";
    if (now !== null && now !== known.get(path)) changed.push(path);
  }
  return changed;
}

const pair = ({ path, sha256 }: Carried): [string, string | null] => [path, sha256];

/** `find` supports fewer patterns and returns too many files; the rules then judge each path and its parent folders. */
async function filesOfTheKind({ tree, patterns, carried }: CarriedFiles): Promise<readonly string[]> {
  if (patterns.length === 0) return [];
  const root = literal(tree);
  const large = carried.filter(({ sha256, files }) => sha256 === null && files === undefined);
  const left = [
    ["-path", `${root}/.git`],
    ["-name", REBUILT],
    ...large.map(({ path }) => ["-path", at(root, literal(path))]),
  ];
  const wanted = patterns.flatMap((pattern) => {
    const like = plain(pattern).replace(/\/?\*\*\/?/g, "*");
    const places = pattern.includes("/") ? [at(root, like)] : [at(root, like), `${root}/*/${like}`];
    return places.flatMap((place) => [
      ["-path", place],
      ["-path", `${place}/*`],
    ]);
  });
  // A link to dependencies elsewhere holds no work itself.
  const kinds = [
    ["-type", "f"],
    ["-type", "l", "-not", "-name", REBUILT],
  ];
  const skipped = ["-type", "d", ...anyOf(left), "-prune"];
  const shown = [...anyOf(kinds), ...anyOf(wanted), "-printf", "%P\\0"];
  const told = await runTool("find", [tree, "-xdev", ...skipped, "-o", ...shown]);
  const paths = told.toString().split("\0").filter(Boolean);
  return paths.filter((path) => NO_NAME.test(path) || withFolders(path).some((one) => isCarried(one, patterns)));
}

/** The rules cannot match such a name, so the result of `find` counts. */
const NO_NAME = /[\\\p{Cc}\ufffd]/u;

const at = (root: string, path: string): string => `${root}/${path}`;
const anyOf = (tests: readonly (readonly string[])[]): readonly string[] => [
  "(",
  ...tests.flatMap((test, n) => (n === 0 ? test : ["-o", ...test])),
  ")",
];

/** Escapes the other special characters of `find`; `*` keeps its meaning. */
const plain = (text: string): string => text.replace(/[\\?[\]]/g, "\\$&");
const literal = (text: string): string => plain(text).replaceAll("*", "\\*");

function withFolders(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_part, n) => parts.slice(0, n + 1).join("/"));
}
