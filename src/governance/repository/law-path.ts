/** The folder of a law, as everybody names its files: `.nomos/config.yaml`. */
export const LAW_DIR = ".nomos";

/** A law's own branch, which is mounted at `.nomos`: there its files lie at the root. */
export const SIDECAR_BRANCH = "nomos-governance";

/** Where a file of the law lies in a tree. `lawFolder`: `.nomos`, or empty for a branch of its own. */
export function inTree(lawFolder: string, path: string): string {
  if (lawFolder === LAW_DIR || (path !== LAW_DIR && !path.startsWith(`${LAW_DIR}/`))) return path;
  return path.slice(LAW_DIR.length + 1);
}

/** What a path of a tree is called. */
export function fromTree(lawFolder: string, path: string): string {
  return lawFolder === LAW_DIR ? path : `${LAW_DIR}/${path}`;
}
