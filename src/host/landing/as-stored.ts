import { writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { copyPlain } from "../files/copy-plain.ts";
import { holdFolder } from "../files/held-folder.ts";
import { readBlobs } from "../git/read-blobs.ts";
import type { RepositoryView } from "../git/repository-view.ts";
import { emptyTree, treeDifferences } from "../git/tree-diff.ts";
import type { Look } from "../worktrees/find-work.ts";

const STORE_TIMEOUT_MS = 600_000;
const FILES = ["100644", "100755"];
const ATTRIBUTES = ["text", "eol", "crlf", "ident", "working-tree-encoding"] as const;

interface Changed {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
}

/**
 * Files that are not committed, as `git add` stores them: a file that lies there with returns at its line ends may have
 * to be stored without. Stored as it lies, it would count as changed in every checkout, for ever. The attributes are those
 * of the person's commit that the worktree derives from, so an agent decides nothing; filters do not run.
 */
export async function asStored(look: Look, { head, tree }: { readonly head: string | null; readonly tree: string }) {
  const { view, own, record } = look;
  const { git } = view;
  const before = head === null ? await emptyTree(git) : `${head}^{tree}`;
  const changed = (await treeDifferences(git, before, tree)).flatMap(({ path, after }) =>
    after !== null && FILES.includes(after.mode) && isPlain(path) ? [{ path, ...after }] : [],
  );
  if (changed.length === 0) return tree;
  await useOwnAttributes(look);
  const laid = join(own, "as-stored");
  await mkdir(laid);
  const indexFile = join(own, "index-as-stored");
  const rules = record.userBase ?? record.base;
  await git.must(rules === null ? ["read-tree", "--empty"] : ["read-tree", rules], { indexFile });
  const converted = await convertedOf(look, changed, { indexFile, laid });
  if (converted.length === 0) return tree;
  await layFiles(view, converted, laid);
  const add = (files: readonly Changed[]) =>
    git.run(["update-index", "--add", "--replace", "-z", "--stdin"], {
      ...{ indexFile, workTree: laid, cwd: laid, timeoutMs: STORE_TIMEOUT_MS },
      input: namesOf(files),
    });
  // What is not in the encoding that the attributes name cannot be stored so: it stays as it lies, alone.
  if ((await add(converted)).exitCode !== 0) for (const one of converted) await add([one]);
  return withStored(view, tree, converted, { indexFile, final: join(own, "index-stored") });
}

/** An attributes file of the agent's must not be laid out: git would read it. */
const isPlain = (path: string): boolean => !path.includes("\ufffd") && !/(?:^|\/)\.gitattributes$/i.test(path);

const namesOf = (files: readonly Changed[]): string => files.map(({ path }) => `${path}\0`).join("");

/** Those of the person's that no commit holds. */
async function useOwnAttributes({ view, user }: Look): Promise<void> {
  await using source = user === null ? null : await holdFolder(join(user.commonDir, "info"));
  const to = Buffer.from(join(view.gitDir, "info", "attributes"));
  if (source !== null) await copyPlain(source, Buffer.from("attributes"), to);
}

async function convertedOf(
  { view, user }: Look,
  changed: readonly Changed[],
  { indexFile, laid }: { readonly indexFile: string; readonly laid: string },
): Promise<readonly Changed[]> {
  const told = await view.git.must(["check-attr", "--cached", "-z", "--stdin", ...ATTRIBUTES], {
    ...{ indexFile, workTree: laid, cwd: laid, timeoutMs: STORE_TIMEOUT_MS },
    input: namesOf(changed),
  });
  const words = told.toString().split("\0");
  const isAlways = ["true", "input"].includes(user?.config.get("core.autocrlf")?.toLowerCase() ?? "");
  return changed.filter((_, nth) => {
    const at = nth * ATTRIBUTES.length * 3;
    const [text = "", eol = "", crlf = "", ident = "", encoding = ""] = ATTRIBUTES.map(
      (_, of) => words[at + of * 3 + 2],
    );
    const isText = text !== "unset" && (isAlways || [text, eol, crlf].some((one) => !NOT_SAID.includes(one)));
    return isText || ident === "set" || !NOT_SAID.includes(encoding);
  });
}

const NOT_SAID = ["", "unspecified", "unset"];

async function layFiles(view: RepositoryView, files: readonly Changed[], laid: string): Promise<void> {
  const paths = new Map<string, string[]>();
  for (const { id, path } of files) paths.set(id, [...(paths.get(id) ?? []), path]);
  for (const { path } of files) await mkdir(join(laid, dirname(path)), { recursive: true });
  await readBlobs(view, [...paths.keys()], (id, bytes) => {
    if (bytes !== null) for (const path of paths.get(id) ?? []) writeFileSync(join(laid, path), bytes);
  });
}

/** The tree with the contents that git stored; rights are those that the files have. */
async function withStored(
  { git }: RepositoryView,
  tree: string,
  files: readonly Changed[],
  { indexFile, final }: { readonly indexFile: string; readonly final: string },
): Promise<string> {
  const listed = (await git.must(["ls-files", "--stage", "-z"], { indexFile })).toString().split("\0").filter(Boolean);
  const stored = new Map(listed.map((line) => [line.slice(line.indexOf("\t") + 1), line.split(" ")[1] ?? ""]));
  const other = files.filter(({ path, id }) => (stored.get(path) ?? id) !== id);
  if (other.length === 0) return tree;
  await git.must(["read-tree", tree], { indexFile: final });
  const input = other.map(({ path, mode }) => `${mode} ${stored.get(path)}\t${path}\0`).join("");
  await git.must(["update-index", "-z", "--index-info"], { indexFile: final, input });
  return git.text(["write-tree"], { indexFile: final });
}
