import type { Agent, Attack } from "./attack.ts";

const blob = ({ plumb }: Agent, text = "evil\n"): string => plumb(text, "hash-object", "-w", "--stdin");
const treeOf = (agent: Agent, name: string): string => agent.plumb(`100755 blob ${blob(agent)}\t${name}\n`, "mktree");

/** A tree with an entry that no `git add` makes. `as`: what a listing shows of it. */
const raw = (name: string, entry: string, refused: Attack["refused"], as = entry): Attack => ({
  name,
  plant: (agent) => void agent.entry("100644", entry, blob(agent)),
  works: ({ brought }) => brought().includes(as),
  refused,
});

const INVALID = { code: "repository_invalid" } as const;

/** A folder whose name some system takes for `.git`. Git itself does not check out most of them. */
const gitFolder = (name: string, entry: string, refused: Attack["refused"] = INVALID): Attack => ({
  name,
  plant: (agent) => void agent.entry("40000", entry, treeOf(agent, "config")),
  works: ({ brought }) => brought().includes(`${entry}/config`),
  refused,
});

const written = (name: string, path: string, says: string | RegExp, as = path): Attack => ({
  name,
  plant: ({ write, commit }) => {
    write(path, "evil\n");
    commit();
  },
  works: ({ brought }) => brought().includes(as),
  refused: ["policy", says],
});

/** Names that mean another file to somebody: another system, another program, or a person who reads. */
export const ATTACKS_BY_NAME: readonly Attack[] = [
  gitFolder("a folder `.git` in the tree", ".git"),
  gitFolder("a folder `.GIT`, for systems without case", ".GIT"),
  gitFolder("`git~1`, the short name of `.git` on Windows", "git~1"),
  gitFolder("`.git` with a space at the end, for Windows", ".git "),
  gitFolder("`.git` with an invisible character, for HFS+", ".g\u200cit", ["policy", /hasDotgit/i]),
  gitFolder("`.git` as a stream of NTFS", ".git::$INDEX_ALLOCATION"),
  raw("a file called `..`", "..", INVALID),
  raw("a name with a slash in it", "src/../../x", INVALID),
  raw("a second entry of the same name", "README.md", ["policy", /treeNotSorted|duplicate/]),
  written("`.gitmodules` in another case", ".GITMODULES", "submodules"),
  written("the short name of `.gitmodules` on Windows", "GITMOD~1", ".gitmodules"),
  written("`.gitattributes` with a dot at the end, for Windows", ".gitattributes.", ".gitattributes"),
  written("a twin of a file in another case", "readme.md", "one name for some file systems"),
  written("a twin of a folder in another case", "Src/other.ts", "one name for some file systems"),
  written("a twin with a character that nobody sees", "READ\u200bME.md", "one name for some file systems"),
  written("a twin below a folder with such a character", "sr\u2060c/main.ts", "one name for some file systems"),
  written("a twin with a dot and a space at its end, for Windows", "README.md. ", "one name for some file systems"),
  written("a twin by the name of its stream of NTFS", "README.md::$DATA", "one name for some file systems"),
  {
    name: "two twins, in two forms of Unicode",
    plant: ({ write, commit }) => {
      write("caf\u00e9.txt", "one\n");
      write("cafe\u0301.txt", "two\n");
      commit();
    },
    works: ({ has }) => has("caf\u00e9.txt") && has("cafe\u0301.txt"),
    refused: ["policy", "one name for some file systems"],
  },
  written("a name that clears the terminal", "\u001b[2J\u001b]0;safe\u0007.txt", "control characters"),
  written("a name of two lines", "safe.txt\nREADME.md", "control characters"),
  written("a name that turns the text around", "exe.\u202ecod", "direction of text"),
  written("a name with backslashes", "..\\..\\autorun.bat", "backslash"),
  written(
    "a path that is too long to check out everywhere",
    `${`${"long".repeat(60)}/`.repeat(5)}x.txt`,
    "longer than",
  ),
  {
    name: "a name that is no text",
    plant: (agent) => void agent.entry("100644", Buffer.from([0x7a, 0xff, 0xfe, 0x2e, 0x63]), blob(agent)),
    works: ({ brought }) => brought().includes(".c"),
    refused: INVALID,
  },
  {
    name: "a name in a commit that a later one takes back",
    plant: (agent) => {
      agent.entry("40000", ".Git", treeOf(agent, "config"));
      const tree = agent.git("rev-parse", "HEAD~1^{tree}");
      agent.git("update-ref", "HEAD", agent.git("commit-tree", tree, "-p", "HEAD", "-m", "clean"));
    },
    works: ({ brought }) => brought().includes(".Git"),
    refused: ["policy", /git/i],
  },
  {
    name: "a file with the mode of a program with special rights",
    plant: (agent) => void agent.entry("104755", "zz-root", blob(agent)),
    works: ({ brought }) => brought().includes("zz-root"),
    refused: ["policy", /mode/i],
  },
];
