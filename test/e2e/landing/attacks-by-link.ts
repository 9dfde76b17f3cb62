import type { Attack } from "./attack.ts";

const link = (name: string, path: string, target: string, says: string | RegExp): Attack => ({
  name,
  plant: (agent) => {
    agent.link(target, path);
    agent.commit();
  },
  works: ({ brought }) => brought().includes(path),
  refused: ["policy", says],
});

const attributes = (name: string, path: string, text: string): Attack => ({
  name,
  plant: ({ write, commit }) => {
    write(path, text);
    commit();
  },
  works: ({ has }) => has(path),
  refused: ["policy", "names programs"],
});

/** Links, submodules and attributes: a file that makes git or its reader do something elsewhere. */
export const ATTACKS_BY_LINK: readonly Attack[] = [
  link("a link to a file of the system", "passwords", "/etc/passwd", "leads out"),
  link("a link that goes up out of the tree", "src/up", "../../outside", "leads out"),
  link("a link into the git dir", "src/hook", "../.git/hooks/pre-commit", "leads out"),
  link("a link into a git dir in another case", "src/Hook", "../.GIT/config", "leads out"),
  link("a link into the git dir of a folder below", "src/sub", "../vendor/.git/config", "into a git dir"),
  link("a link that goes up from where another one leads", "src/climb", "top/../../outside", "leads out"),
  link("a link that goes up on Windows alone", "src/back", "..\\..\\outside", "on Windows"),
  link("a link to another drive", "src/drive", "C:/Windows/win.ini", "on Windows"),
  link("`.gitattributes` that is a link", "src/.gitattributes", "main.ts", "reads settings"),
  {
    name: "a link in a commit that a later one replaces by a file",
    plant: ({ link: put, commit, git, write }) => {
      put("/etc/shadow", "notes.txt");
      commit("link");
      git("rm", "-q", "-f", "notes.txt");
      write("notes.txt", "harmless\n");
      commit("file");
    },
    works: ({ git }) => git("log", "--format=%s", "FETCH_HEAD").includes("link"),
    refused: ["policy", /leads out.*shadow/],
  },
  {
    name: "a submodule",
    plant: ({ git, commit }) => {
      const head = git("rev-parse", "HEAD");
      git("update-index", "--add", "--cacheinfo", `160000,${head},vendor`);
      git("commit", "-q", "-m", "vendor");
      void commit;
    },
    works: ({ git }) => git("ls-tree", "HEAD", "vendor").startsWith("160000"),
    refused: ["policy", "submodule"],
  },
  {
    name: "a submodule in a commit that a later one takes back",
    plant: ({ git, write, commit }) => {
      const head = git("rev-parse", "HEAD");
      git("update-index", "--add", "--cacheinfo", `160000,${head},vendor`);
      git("commit", "-q", "-m", "vendor");
      git("rm", "-q", "--cached", "vendor");
      write("src/a.ts", "a\n");
      commit("clean");
    },
    works: ({ brought }) => brought().includes("160000"),
    refused: ["policy", "submodule"],
  },
  {
    name: "`.gitmodules` that sends git elsewhere",
    plant: ({ write, commit }) => {
      write(".gitmodules", '[submodule "a"]\n\tpath = a\n\turl = https://example.org/a.git\n');
      commit();
    },
    works: ({ has }) => has(".gitmodules"),
    refused: ["policy", "submodules"],
  },
  {
    name: "`.gitmodules` with a program for an address",
    plant: ({ write, commit }) => {
      write(".gitmodules", '[submodule "a"]\n\tpath = a\n\turl = --upload-pack=evil\n');
      commit();
    },
    works: ({ has }) => has(".gitmodules"),
    refused: ["policy", "gitmodules"],
  },
  attributes("a filter of git's", ".gitattributes", "* filter=evil\n"),
  attributes("a filter, for a folder only", "src/.gitattributes", "*.ts text filter=evil\n"),
  attributes("a program that shows differences", ".gitattributes", "*.bin diff=evil\n"),
  attributes("a program that merges, named by a macro", ".gitattributes", "[attr]mine merge=evil\n*.ts mine\n"),
  attributes("attributes in another case", ".GitAttributes", "* filter=evil\n"),
  {
    name: "a filter in a commit that a later one takes back",
    plant: ({ write, commit }) => {
      write(".gitattributes", "* filter=evil\n");
      commit("filter");
      write(".gitattributes", "* text=auto\n");
      commit("clean");
    },
    works: ({ git }) => git("log", "--format=%s", "FETCH_HEAD").includes("filter"),
    refused: ["policy", /names programs/],
  },
];
