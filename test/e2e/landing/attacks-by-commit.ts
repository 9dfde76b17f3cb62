import type { Agent, Attack } from "./attack.ts";

/** Adds a commit with exactly these headers, and one more on top. */
function commitObject(agent: Agent, change: (lines: readonly string[]) => readonly string[], message = "work"): void {
  const [head = ""] = agent.git("cat-file", "commit", agent.commit("work")).split("\n\n");
  const text = `${change(head.split("\n")).join("\n")}\n\n${message}\n`;
  const id = agent.plumb(text, "hash-object", "-t", "commit", "-w", "--stdin", "--literally");
  agent.git("update-ref", "HEAD", id);
}

const replaced =
  (name: string, line: string) =>
  (lines: readonly string[]): readonly string[] =>
    lines.map((one) => (one.startsWith(`${name} `) ? `${name} ${line}` : one));

const commit = (
  name: string,
  change: (lines: readonly string[]) => readonly string[],
  says: string | RegExp,
  message = "work",
): Attack => ({
  name,
  plant: (agent) => {
    agent.write("src/a.ts", "a\n");
    commitObject(agent, change, message);
  },
  works: ({ has }) => has("src/a.ts"),
  refused: ["policy", says],
});

const same = (lines: readonly string[]): readonly string[] => lines;

const planted = (name: string, path: string): Attack => ({
  name,
  plant: (agent) => {
    agent.write(path, "evil\n");
    agent.commit();
  },
  works: ({ has }) => has(path),
  refused: ["policy", "landing.protect"],
});

/** What the person of `attacks.test.ts` protects. */
export const PROTECTED = [".github/workflows", ".husky", "**/*.pem"];

/** Commits that say something untrue of themselves, and files that run on somebody's machine. */
export const ATTACKS_BY_COMMIT: readonly Attack[] = [
  commit("a trailer that names another session", same, "trailer", "work\n\nNomos-Session: 0000-of-somebody-else"),
  commit("a trailer in another case, with spaces", same, "trailer", "work\n\n  nomos-TURN : 7"),
  commit("a message that clears the terminal", same, "control characters", "work\u001b[2J\u001b[H done"),
  commit("a message that turns text around", same, "control characters", "work \u202edrawkcab"),
  commit(
    "an author who clears the terminal",
    replaced("author", "agent\u001b[2J <agent@example.org> 1700000000 +0000"),
    "control characters",
  ),
  commit(
    "a committer who is a colleague",
    replaced("committer", "Bob Colleague <bob@example.org> 1700000000 +0000"),
    "bob@example.org",
  ),
  commit("an author without an address", replaced("author", "agent 1700000000 +0000"), /missing|bad/i),
  commit(
    "a date that no calendar has",
    replaced("author", "agent <agent@example.org> 99999999999999999999 +0000"),
    /date/i,
  ),
  planted("a workflow that runs on the forge", ".github/workflows/evil.yml"),
  planted("a workflow, in another case", ".GitHub/Workflows/evil.yml"),
  planted("a hook that everybody runs who installs the project", ".husky/pre-commit"),
  planted("a protected kind of file, in a new folder", "certs/server.pem"),
  {
    name: "a protected file in a commit that a later one takes back",
    plant: (agent) => {
      agent.write(".github/workflows/evil.yml", "evil\n");
      agent.commit("evil");
      agent.git("rm", "-q", "-r", ".github");
      agent.write("src/a.ts", "a\n");
      agent.commit("clean");
    },
    works: ({ git }) => git("log", "--format=%s", "FETCH_HEAD").includes("evil"),
    refused: ["policy", "landing.protect"],
  },
];
