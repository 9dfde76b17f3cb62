import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, globSync, lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Attempt, type AttemptGroup, idOf, type Language, type Proof } from "./attempt.ts";
import type { World } from "./world.ts";

/** The result of one attempt. */
export interface Tried {
  readonly id: string;
  readonly got: "out" | "nowhere" | "not run";
  /** Its output, for debugging. */
  readonly printed: string;
}

/** Attempts as programs in a workspace, run by `sh run.sh`, a few at a time. */
export interface Batch extends AsyncDisposable {
  readonly script: string;
  /** Called when everything it started should be gone. */
  readonly judge: () => Promise<readonly Tried[]>;
}

const ENDINGS: Readonly<Record<Language, string>> = { sh: "sh", python: "py", node: "cjs", agent: "txt" };
const ATTEMPT_MAX_S = 15;
const LANES = 3;

export function layBatch(world: World, groups: readonly AttemptGroup[]): Batch {
  const tried = groups.flatMap((group) => group.attempts.map((attempt) => ({ id: idOf(group, attempt), attempt })));
  const at = (...path: string[]) => join(world.work, ...path);
  for (const folder of ["programs", "victims", "results", "run"]) mkdirSync(at(folder), { recursive: true });
  for (const { id, attempt } of [...tried, ...CANARIES])
    writeFileSync(at("programs", `${id}.${ENDINGS[attempt.by]}`), attempt.text);
  const victims = new Map<string, ChildProcess>();
  for (const { id, attempt } of tried) {
    if (attempt.proof !== "victim") continue;
    const victim = spawn("sh", ["-c", "while :; do sleep 0.05; done"], { stdio: "ignore", detached: true });
    victims.set(id, victim);
    writeFileSync(at("victims", id), String(victim.pid));
  }
  const known = Object.entries(world.known).map(([name, value]) => `export ${name}='${value}'\n`);
  writeFileSync(at("know.sh"), known.join(""));
  writeFileSync(at("run.sh"), RUN);
  return {
    script: at("run.sh"),
    judge: async () => {
      await sleep(SETTLE_MS);
      const isOut = createJudge(world, victims);
      const printed = (id: string) =>
        existsSync(at("results", id)) ? readFileSync(at("results", id), "latin1") : null;
      const alive = CANARIES.filter(({ id }) => printed(id)?.includes("alive")).map(({ attempt }) => attempt.by);
      return tried.map(({ id, attempt }): Tried => {
        const text = printed(id);
        if (text === null || !alive.includes(attempt.by)) return { id, got: "not run", printed: text ?? "" };
        return { id, got: isOut[attempt.proof](id, text) ? "out" : "nowhere", printed: text };
      });
    },
    [Symbol.asyncDispose]: async () => {
      for (const victim of victims.values()) victim.kill("SIGKILL");
      for (const pid of processesNamed(world.mark)) process.kill(pid, "SIGKILL");
    },
  };
}

/** Long enough for a signal to arrive and a file to be written. */
const SETTLE_MS = 300;

/** Where the language itself does not run, nothing would get out anyway. */
const CANARIES: readonly { readonly id: string; readonly attempt: Attempt }[] = [
  { id: "canary.sh", attempt: { name: "sh", tries: "", by: "sh", proof: "says", text: "echo alive" } },
  { id: "canary.python", attempt: { name: "python", tries: "", by: "python", proof: "says", text: "print('alive')" } },
  { id: "canary.node", attempt: { name: "node", tries: "", by: "node", proof: "says", text: "console.log('alive')" } },
];

/** Most attempts wait for something that never comes, so a few wait at once. */
const RUN = `cd "$(dirname "$0")" && . ./know.sh
run_one() {
  file=\${1##*/}; id=\${file%.*}
  export P="planted-$TAG-$id" T="$D/planted-$TAG-$id" VICTIM="$(cat "victims/$id" 2>/dev/null)"
  case $file in *.sh) set -- sh;; *.py) set -- "$PYTHON";; *) set -- "$NODE";; esac
  mkdir -p "run/$id"
  (cd "run/$id" && exec timeout -k 1 ${ATTEMPT_MAX_S} "$@" "../../programs/$file") > "results/$id" 2>&1 < /dev/null
}
run_lane() {
  n=0
  for program in programs/*; do n=$((n + 1)); [ $((n % ${LANES})) != "$1" ] || run_one "$program"; done
}
for lane in $(seq 0 ${LANES - 1}); do run_lane "$lane" & done
wait
echo finished
`;

export function createJudge(world: World, victims: ReadonlyMap<string, ChildProcess>) {
  const planted = plantedIn(world);
  const nameOf = (id: string) => `${world.mark}-${id}`;
  const isNamed = (text: string, id: string) => new RegExp(`${nameOf(id)}(?![\\w-])`).test(text);
  return {
    secret: (_id, text) => text.includes(world.secret),
    says: (_id, text) => /^ESCAPED/m.test(text),
    planted: (id) => isNamed(planted, id),
    victim: (id) => isHurt(victims.get(id)?.pid ?? 0),
    lives: (id) => processesNamed(nameOf(id)).length > 0,
  } satisfies { readonly [proof in Proof]: (id: string, text: string) => boolean };
}

/** Names, links and contents outside the workspace, and everything received there, as one text. */
function plantedIn(world: World): string {
  const own = [
    "outside",
    "person",
    "other",
    "driver",
    "home/*.json",
    `home/${world.mark}*`,
    "home/token*",
    "home/drivers",
    "home/agents",
  ];
  const paths = [
    ...own
      .flatMap((name) => [...globSync(name, { cwd: world.root }), ...deepIn(world.root, name)])
      .map((path) => join(world.root, path)),
    ...["/tmp", "/var/tmp", "/dev/shm"].flatMap((folder) => globSync(`${folder}/${world.mark}*`)),
  ];
  return [...world.ears.heard(), ...new Set(paths.map(nameAndContent))].join("\n");
}

function deepIn(root: string, name: string): string[] {
  return globSync([`${name}/**/*`, `${name}/**/.*`, `${name}/**/.*/**/*`], { cwd: root });
}

function nameAndContent(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) return `${path} ${readlinkSync(path)}`;
  return found?.isFile() ? `${path} ${readFileSync(path, "latin1")}` : path;
}

function isHurt(pid: number): boolean {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "State:\tX";
  const files = existsSync(`/proc/${pid}/limits`) ? readFileSync(`/proc/${pid}/limits`, "utf8") : "";
  return /^State:\t[XZTt]/m.test(status) || /^Max open files\s+3\s/m.test(files);
}

function processesNamed(name: string): number[] {
  return globSync("/proc/[0-9]*/cmdline").flatMap((file) => {
    const pid = Number(file.split("/")[2]);
    return pid !== process.pid && textOf(file).includes(name) ? [pid] : [];
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch (thrown) {
    // It may have ended by now.
    if (thrown instanceof Error) return "";
    throw thrown;
  }
}
