import { judgeChange, type Scope } from "../../../domains/index.ts";
import { isLeadingOut, type LandedChange, type LandingRepository } from "../../../host/index.ts";
import { type Gathered, shownPath } from "./gather-findings.ts";
import { controlNameOf, twinsOf, whyOdd } from "./odd-names.ts";

export interface PathRules {
  /** Null: the session may change every path. */
  readonly scope: Scope | null;
  /** Paths that a person added to the scope. */
  readonly widened: readonly string[];
  /** The command that lands the session. */
  readonly again: string;
  /** `landing.protect` */
  readonly protect: readonly string[];
}

const LINK = "120000";
const SUBMODULE = "160000";
const MODES = ["100644", "100755", LINK, SUBMODULE];

const BY_HAND = "Land it by hand after you have read it: `git fetch <worktree> HEAD`, then `git merge FETCH_HEAD`.";
const NAME_IT = `${BY_HAND} A session whose scope names exactly this path may land it.`;
const TAKE_BACK = "Take it out of every new commit, or land with `--squash` when only an earlier commit has it.";

/** What the landing and each of its commits does to a path, one by one: a commit may hide what a later one reverts. */
export async function judgePaths(
  opened: Pick<LandingRepository, "git" | "blobs" | "sizes">,
  commit: string,
  changes: readonly LandedChange[],
  rules: PathRules,
  found: Gathered,
): Promise<void> {
  for (const change of changes) {
    // What the landing as a whole does is not told again for each commit.
    if (change.commit !== null && found.has("policy", change.path)) continue;
    judgeName(change, found);
    judgeProtected(change, rules, found);
  }
  await judgeLinks(opened, changes, found);
  await judgeAttributes(opened, changes, rules, found);
  await judgeTwins(opened, commit, changes, found);
  for (const change of changes) judgeScope(change, rules, found);
}

function judgeName({ path, after, commit }: LandedChange, found: Gathered): void {
  if (after === null) return;
  const odd = whyOdd(path);
  if (odd !== null)
    found.add("policy", { path, message: `${shownPath(path)}${inCommit(commit)}: ${odd}.`, remedy: RENAME });
  if (!MODES.includes(after.mode))
    found.add("policy", { path, message: `${shownPath(path)} has the mode ${after.mode}.`, remedy: TAKE_BACK });
}

const RENAME = "Rename it in every new commit, or land with `--squash` when only an earlier commit has it.";

/** Paths that need the person's hand, whatever the scope of the session is. */
function judgeProtected({ path, before, after, commit }: LandedChange, rules: PathRules, found: Gathered): void {
  const where = inCommit(commit);
  const { rule } = judgeChange(path, { allow: ["**"], deny: rules.protect });
  if (rule.startsWith("deny:"))
    found.add("policy", {
      path,
      message: `${shownPath(path)}${where} is protected by \`landing.protect\` (${rule.slice("deny:".length)}).`,
      remedy: BY_HAND,
    });
  if (isNamed(path, rules)) return;
  if ([before, after].some((entry) => entry?.mode === SUBMODULE))
    found.add("policy", {
      path,
      message: `${shownPath(path)}${where} adds, moves or removes a submodule.`,
      remedy: NAME_IT,
    });
  if (controlNameOf(nameOf(path)) === ".gitmodules")
    found.add("policy", {
      path,
      message: `${shownPath(path)}${where} decides where git fetches submodules from.`,
      remedy: NAME_IT,
    });
}

const isNamed = (path: string, { scope, widened }: PathRules): boolean =>
  scope?.allow.includes(path) === true || widened.includes(path);

function judgeScope({ path, commit }: LandedChange, { scope, widened, again }: PathRules, found: Gathered): void {
  if (scope === null || widened.includes(path)) return;
  const { verdict, rule } = judgeChange(path, scope);
  // What is protected or has an odd name is no question of the scope, and is never offered.
  if (verdict === "allow" || found.has("policy", path) || found.has("scope", path)) return;
  const why = rule === "no_rule" ? "no rule of its scope allows it" : `\`${rule}\` of its scope forbids it`;
  found.add("scope", {
    path,
    message: `The session may not change ${shownPath(path)}${inCommit(commit)}: ${why}.`,
    remedy: `Undo the change, or run \`${again}\`: it asks you to allow it.`,
  });
}

/** A link is read by whoever opens the path, with that one's rights. */
async function judgeLinks(
  opened: Pick<LandingRepository, "blobs" | "sizes">,
  changes: readonly LandedChange[],
  found: Gathered,
): Promise<void> {
  const links = changes.filter(({ after }) => after?.mode === LINK);
  const targets = await smallTexts(
    opened,
    links.flatMap(({ after }) => after?.id ?? []),
    TARGET_BYTES_MAX,
  );
  for (const { path, after, commit } of links) {
    const target = targets.get(after?.id ?? "");
    const name = `The link ${shownPath(path)}${inCommit(commit)}`;
    const why =
      target === undefined
        ? "has a target that is too long"
        : isLeadingOut(path, target) || target.includes("\0")
          ? `leads out of the tree, to ${shownPath(target).slice(0, SHOWN_TARGET)}`
          : /\\|^[a-z]:/i.test(target)
            ? "leads elsewhere on Windows, which takes its backslash or colon for a folder or a drive"
            : target.split("/").some((part) => controlNameOf(part) === ".git")
              ? "leads into a git dir"
              : controlNameOf(nameOf(path)) !== null
                ? "stands where git reads settings"
                : null;
    if (why !== null) found.add("policy", { path, message: `${name} ${why}.`, remedy: TAKE_BACK });
  }
}

const TARGET_BYTES_MAX = 4096;
const SHOWN_TARGET = 200;

/** Drivers of `filter`, `diff` and `merge` are programs of whoever checks the file out. */
async function judgeAttributes(
  opened: Pick<LandingRepository, "blobs" | "sizes">,
  changes: readonly LandedChange[],
  rules: PathRules,
  found: Gathered,
): Promise<void> {
  const files = changes.filter(({ path, after }) => after !== null && controlNameOf(nameOf(path)) === ".gitattributes");
  const ids = files.flatMap(({ before, after }) => [before, after].flatMap((entry) => entry?.id ?? []));
  const texts = await smallTexts(opened, ids, ATTRIBUTES_BYTES_MAX);
  for (const { path, before, after, commit } of files) {
    if (isNamed(path, rules)) continue;
    const now = texts.get(after?.id ?? "");
    const was = driversIn(texts.get(before?.id ?? "") ?? "");
    const added = now === undefined ? [] : [...driversIn(now)].filter((one) => !was.has(one));
    if (now !== undefined && added.length === 0) continue;
    const what = now === undefined ? "is too large to be read" : `names programs of git's: ${added.join(", ")}`;
    found.add("policy", {
      path,
      message: `${shownPath(path)}${inCommit(commit)} ${what}.`.slice(0, MESSAGE_CHARS),
      remedy: NAME_IT,
    });
  }
}

const ATTRIBUTES_BYTES_MAX = 1_048_576;
const MESSAGE_CHARS = 500;

/** Merges and diffs that are part of git run nothing. */
const BUILT_IN =
  /^(?:merge=(?:text|binary|union)|diff=(?:ada|bash|bibtex|cpp|csharp|css|dts|elixir|fortran|fountain|golang|html|java|kotlin|markdown|matlab|objc|pascal|perl|php|python|ruby|rust|scheme|tex))$/;

function driversIn(text: string): ReadonlySet<string> {
  const named = text.match(/(?:^|[\s])(?:filter|diff|merge)=[^\s]+/gi) ?? [];
  return new Set(named.map((one) => shownPath(one.trim())).filter((one) => !BUILT_IN.test(one)));
}

async function judgeTwins(
  { git }: Pick<LandingRepository, "git">,
  commit: string,
  changes: readonly LandedChange[],
  found: Gathered,
): Promise<void> {
  const added = [
    ...new Set(changes.filter(({ before, after }) => before === null && after !== null).map((one) => one.path)),
  ];
  if (added.length === 0) return;
  const told = await git.must(["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit]);
  for (const { path, twin } of twinsOf(added, told.toString().split("\0").filter(Boolean)))
    found.add("policy", {
      path,
      message: `${shownPath(path)} and ${shownPath(twin)} are one name for some file systems.`,
      remedy: RENAME,
    });
}

/** Blobs up to this size, as text. */
async function smallTexts(
  { blobs, sizes }: Pick<LandingRepository, "blobs" | "sizes">,
  ids: readonly string[],
  bytesMax: number,
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const known = await sizes(wanted);
  const texts = new Map<string, string>();
  const small = wanted.filter((id) => (known.get(id) ?? Number.POSITIVE_INFINITY) <= bytesMax);
  await blobs(small, (id, bytes) => void texts.set(id, bytes?.toString() ?? ""));
  return texts;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function inCommit(commit: string | null): string {
  return commit === null ? "" : ` in commit ${commit.slice(0, SHORT)}`;
}

const SHORT = 12;
