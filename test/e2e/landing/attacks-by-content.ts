import { randomBytes } from "node:crypto";
import type { Agent, Attack } from "./attack.ts";

/** A value of the vault. */
export const VALUE = `fake-${randomBytes(20).toString("hex")}`;

const secret = (name: string, plant: Attack["plant"], works: Attack["works"]): Attack => ({
  ...{ name, plant, works },
  refused: ["secret", /secret/],
});

/** Secrets on their way into a repository that others read. */
const SECRETS: readonly Attack[] = [
  secret(
    "a secret in a file",
    ({ write, commit }) => {
      write("config.json", `{"key": "${VALUE}"}\n`);
      commit();
    },
    ({ git }) => git("show", "HEAD:config.json").includes(VALUE),
  ),
  secret(
    "a secret in a file that is not committed",
    ({ write }) => write("config.json", VALUE),
    (_victim, { git }) => git("status", "--porcelain").includes("config.json"),
  ),
  secret(
    "a secret that a later commit removes",
    ({ write, commit, git }) => {
      write("config.json", VALUE);
      commit("secret");
      git("rm", "-q", "config.json");
      write("src/a.ts", "a\n");
      commit("clean");
    },
    ({ git }) => git("log", "-p", "FETCH_HEAD").includes(VALUE),
  ),
  secret(
    "a secret in base64, in the middle of a large binary",
    ({ write, commit }) => {
      const noise = randomBytes(1_500_000);
      write("data.bin", Buffer.concat([noise, Buffer.from(Buffer.from(VALUE).toString("base64")), noise]));
      commit();
    },
    ({ has }) => has("data.bin"),
  ),
  ...(["utf16le", "utf16be"] as const).map((order) =>
    secret(
      `a secret in text of two bytes a character, ${order}`,
      ({ write, commit }) => {
        const text = Buffer.from(`key = ${VALUE}\n`, "utf16le");
        write("key.txt", order === "utf16le" ? text : text.swap16());
        commit();
      },
      ({ has }) => has("key.txt"),
    ),
  ),
  secret(
    "a secret in the message of a commit",
    ({ write, commit }) => {
      write("src/a.ts", "a\n");
      commit(`work\n\nkey: ${VALUE}`);
    },
    ({ git }) => git("log", "FETCH_HEAD").includes(VALUE),
  ),
  secret(
    "a secret in a header of a commit that no log shows",
    (agent) => {
      const text = agent.git("cat-file", "commit", "HEAD");
      const parent = agent.git("rev-parse", "HEAD");
      const [head = "", ...rest] = text.split("\n\n");
      const lines = head.split("\n").filter((line) => !line.startsWith("parent "));
      const made = [lines[0], `parent ${parent}`, ...lines.slice(1), `x-note ${VALUE}`].join("\n");
      const id = agent.plumb(`${made}\n\n${rest.join("\n\n")}\n`, "hash-object", "-t", "commit", "-w", "--stdin");
      agent.git("update-ref", "HEAD", id);
      agent.write("src/a.ts", "a\n");
      agent.commit();
    },
    ({ git }) => git("cat-file", "commit", "FETCH_HEAD~1").includes(VALUE),
  ),
  secret(
    "a secret in the name of a file",
    ({ write, commit }) => {
      write(`src/${VALUE}.ts`, "a\n");
      commit();
    },
    ({ has }) => has(`src/${VALUE}.ts`),
  ),
  secret(
    "a secret in the target of a link",
    ({ link, commit }) => {
      link(`src/${VALUE}`, "pointer");
      commit();
    },
    ({ has }) => has("pointer"),
  ),
];

const size = (name: string, plant: Attack["plant"], works: Attack["works"], refused: Attack["refused"]): Attack => ({
  ...{ name, plant, works, refused },
});

const isThere =
  (path: string): Attack["works"] =>
  ({ has }) =>
    has(path);

/** Ten files, in ten folders, and so on: a few objects that unpack to more files than any disk has. */
function treeBomb({ plumb }: Agent, depth: number): string {
  let [kind, mode, id] = ["blob", "100644", plumb("x", "hash-object", "-w", "--stdin")];
  for (let level = 0; level < depth; level += 1) {
    const entries = Array.from({ length: 10 }, (_, n) => `${mode} ${kind} ${id}\tf${n}\n`).join("");
    [kind, mode, id] = ["tree", "040000", plumb(entries, "mktree")];
  }
  return id;
}

const MB = 1_048_576;

/** More than anybody can look at. */
const BOMBS: readonly Attack[] = [
  size(
    "a file that is too large",
    ({ write, commit }) => {
      write("big.bin", Buffer.alloc(11 * MB));
      commit();
    },
    isThere("big.bin"),
    ["size", "big.bin"],
  ),
  size(
    "a large file that a later commit removes",
    ({ write, commit, git }) => {
      write("big.bin", Buffer.alloc(11 * MB));
      commit("big");
      git("rm", "-q", "big.bin");
      write("src/a.ts", "a\n");
      commit("small");
    },
    ({ git }) => git("log", "--format=%s", "FETCH_HEAD").includes("big"),
    ["size", /big\.bin in commit/],
  ),
  size(
    "more bytes than a landing may bring, in files that are each small enough",
    ({ write, commit }) => {
      for (let n = 0; n < 3; n += 1) write(`part-${n}.bin`, Buffer.alloc(9 * MB - n));
      commit();
    },
    isThere("part-2.bin"),
    ["size", "landing.bytesMax"],
  ),
  size(
    "more files than a landing may change",
    ({ write, commit }) => {
      for (let n = 0; n < 301; n += 1) write(`many/${n}.txt`, "x\n");
      commit();
    },
    isThere("many/300.txt"),
    ["fileBudget", "landing.filesMax"],
  ),
  size(
    "more lines than a landing may change",
    ({ write, commit }) => {
      write("long.txt", "x\n".repeat(5001));
      commit();
    },
    isThere("long.txt"),
    ["fileBudget", "landing.linesMax"],
  ),
  size(
    "more commits than anybody reads",
    (agent) => {
      const first = agent.git("rev-parse", "HEAD");
      const who = "committer agent <agent@example.org> 1700000000 +0000\ndata 1\nx\n";
      const all = Array.from({ length: 600 }, (_, n) => {
        const from = n === 0 ? `from ${first}\n` : "";
        return `commit refs/heads/many\n${who}${from}M 100644 inline src/n.ts\ndata ${String(n).length}\n${n}\n`;
      });
      agent.plumb(`${all.join("")}done\n`, "fast-import", "--quiet", "--done");
      agent.git("reset", "-q", "--hard", "many");
    },
    ({ git }) => Number(git("rev-list", "--count", "FETCH_HEAD")) > 600,
    ["size", "commits"],
  ),
  size(
    "a bomb of trees in a commit that a later one takes back",
    (agent) => {
      const clean = agent.git("rev-parse", "HEAD^{tree}");
      const bomb = agent.git("commit-tree", treeBomb(agent, 9), "-p", "HEAD", "-m", "bomb");
      agent.git("update-ref", "HEAD", agent.git("commit-tree", clean, "-p", bomb, "-m", "clean"));
      agent.write("src/a.ts", "a\n");
      agent.commit();
    },
    ({ git }) => git("log", "--format=%s", "FETCH_HEAD").includes("bomb"),
    { code: "tree_too_large" },
  ),
];

export const ATTACKS_BY_CONTENT: readonly Attack[] = [...SECRETS, ...BOMBS];
