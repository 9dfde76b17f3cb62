import type { LandedChange, LandingRepository } from "../../../host/index.ts";
import type { LandingSettings } from "../landing-settings.ts";
import { type Gathered, shownPath } from "./gather-findings.ts";

type Limits = Pick<LandingSettings, "filesMax" | "linesMax" | "bytesMax" | "fileBytesMax">;

/** Sizes are those that git notes: no content is unpacked to know them. */
export async function judgeSize(
  { sizes, counts }: Pick<LandingRepository, "sizes" | "counts">,
  { tip, commit }: { readonly tip: string; readonly commit: string },
  changes: readonly LandedChange[],
  { filesMax, linesMax, bytesMax, fileBytesMax }: Limits,
  found: Gathered,
): Promise<void> {
  const files = new Set(changes.map(({ path }) => path)).size;
  if (files > filesMax)
    found.add("fileBudget", {
      message: `The landing and its commits change ${files} files; \`landing.filesMax\` is ${filesMax}.`,
      remedy: SPLIT,
    });
  const blobs = newBlobs(changes);
  const known = await sizes([...blobs.keys()]);
  let bytes = 0;
  for (const [id, { path, commit: from }] of blobs) {
    const size = known.get(id) ?? 0;
    bytes += size;
    if (size <= fileBytesMax) continue;
    const where = from === null ? "" : ` in commit ${from.slice(0, SHORT)}`;
    found.add("size", {
      path,
      message: `${shownPath(path)}${where} has ${size} bytes; \`landing.fileBytesMax\` is ${fileBytesMax}.`,
      remedy: "Take it out of every new commit, or land with `--squash` when only an earlier commit has it.",
    });
  }
  if (bytes > bytesMax)
    found.add("size", {
      message: `The landing and its commits bring ${bytes} bytes; \`landing.bytesMax\` is ${bytesMax}.`,
      remedy: SPLIT,
    });
  // Lines of what is too large are not counted: that reads all of it.
  if (bytes > bytesMax || files > filesMax) return;
  const { added, removed } = await counts(tip, commit);
  if (added + removed > linesMax)
    found.add("fileBudget", {
      message: `The landing changes ${added + removed} lines; \`landing.linesMax\` is ${linesMax}.`,
      remedy: SPLIT,
    });
}

const SPLIT = "Land less at once, or raise the limit with `nomos config set`.";
const SHORT = 12;
const SUBMODULE = "160000";

/** What is only moved is not new. Each with the change that brings it first. */
export function newBlobs(changes: readonly LandedChange[]): ReadonlyMap<string, LandedChange> {
  const old = new Set(changes.filter(({ commit }) => commit === null).flatMap(({ before }) => before?.id ?? []));
  const blobs = new Map<string, LandedChange>();
  for (const change of changes) {
    const { after } = change;
    if (after === null || after.mode === SUBMODULE || old.has(after.id) || blobs.has(after.id)) continue;
    blobs.set(after.id, change);
  }
  return blobs;
}
