import { realpath } from "node:fs/promises";
import type { Committer } from "../commit/index.ts";
import { NomosError } from "../contract/index.ts";
import { SYSTEM_STREAM, System } from "../domains/index.ts";
import {
  allowedEnvironment,
  type Cgroups,
  type Denied,
  HostError,
  type HostRule,
  isInside,
  MARKER_VARIABLE,
  openDoor,
  type ProcessHost,
  type ProcessSpec,
  type SandboxLimits,
  type SandboxPlan,
  spellRule,
  type Walls,
} from "../host/index.ts";
import { commonFact, type SessionSpec } from "../kernel/index.ts";
import type { EventPage, RecordedEvent, Store } from "../store/index.ts";
import { type GitNews, gitMounts, holdableGit, rulesOf, type SessionWalls, treeAround } from "../supervisor/index.ts";
import type { RanInSandbox, SandboxExplained, SandboxOrder, SandboxService } from "../syscalls/index.ts";
import type { Drivers } from "./drivers.ts";

export interface SandboxDeskParts {
  readonly host: ProcessHost;
  readonly walls: SessionWalls;
  readonly drivers: Drivers;
  readonly cgroups: Cgroups;
  readonly limits: () => SandboxLimits;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly instance: string;
  readonly doors: string;
  /** The daemon's own. */
  readonly port: () => number;
  readonly home: string;
  readonly worktrees: string;
  readonly committer: Pick<Committer, "change" | "sessionState">;
  readonly store: Pick<Store, "readStream">;
}

const RAN_KEPT = 50;
const RUN_MAX_MS = 60_000;
const OUTPUT_BYTES_MAX = 1_048_576;

/** Sandboxes for people: looked at, and tried out. */
export function createSandboxDesk(parts: SandboxDeskParts): SandboxService {
  const { host, walls, limits, committer } = parts;
  const ran = new Map<string, { readonly result: RanInSandbox } | { readonly thrown: unknown }>();
  return {
    explain: async (id) => {
      const { spec } = await committer.sessionState(id);
      if (spec === null) throw new NomosError("session_not_found", { id });
      const denied = walls.denials(id).map((one) => ({ ...one }));
      return spec.sandbox === "strict" ? explainStrict(parts, id, spec, denied) : explainOpen(parts, id, spec, denied);
    },
    run: async (order, { actor: { principal: actor }, call }) => {
      const walled = await prepare(host, limits(), parts, order);
      // Durable before anything runs: asked again after a crash, it is not run again.
      const { events } = await committer.change(System, "", () => [commonFact("call.begun@1", CALL)], { actor, call });
      const begun = events[0]?.id ?? "";
      const outcome = await runWalled(host, parts, walled, order).then(
        (result) => ({ result }),
        (thrown: unknown) => ({ thrown }),
      );
      ran.set(begun, outcome);
      for (const [oldest] of ran) if (ran.size > RAN_KEPT) ran.delete(oldest);
      await committer.change(System, "", () => [commonFact("call.made@1", CALL)], { actor, cause: begun });
      return events;
    },
    ran: async (begun) => {
      const outcome = ran.get(begun.id);
      if (outcome === undefined) return (await isMade(parts.store, begun)) ? "forgotten" : "unknown";
      if ("thrown" in outcome) throw outcome.thrown;
      return outcome.result;
    },
  };
}

const CALL = { syscall: "sandbox.run" } as const;
const PAGE = 500;

/** Whether it ran to its end: versions before this one recorded it only then. */
async function isMade(store: Pick<Store, "readStream">, begun: RecordedEvent): Promise<boolean> {
  if (begun.type === "call.made@1") return true;
  for (let after: number | null = begun.seq; after !== null; ) {
    const page: EventPage = await store.readStream(SYSTEM_STREAM, { after, limit: PAGE, types: ["call.made"] });
    if (page.events.some(({ cause }) => cause === begun.id)) return true;
    after = page.next;
  }
  return false;
}

interface Walled {
  readonly spec: ProcessSpec & { readonly walls: Walls };
  readonly rules: readonly HostRule[];
}

/** All that can be refused is refused here, before anything is recorded. */
async function prepare(
  host: ProcessHost,
  limits: SandboxLimits,
  { environment, instance, home }: SandboxDeskParts,
  { argv, cwd, network }: SandboxOrder,
): Promise<Walled> {
  const real = await realpath(cwd).catch(() => null);
  if (real === null) throw new NomosError("cwd_missing", { cwd });
  const rules = rulesOf({ network: network ?? null });
  const env = allowedEnvironment(environment, { [MARKER_VARIABLE]: `${instance}:sandbox-run` });
  const mounts = isInside(home, real) ? [] : gitMounts(real, holdableGit(real, home));
  const walls: Walls = { mounts, programs: [process.execPath], home: null, temp: null, door: null, limits };
  const spec = { argv, cwd: real, env, stdin: "none" as const, walls, outputLimitBytes: OUTPUT_BYTES_MAX };
  host.plan(spec);
  return { spec, rules };
}

async function runWalled(
  host: ProcessHost,
  { doors, port }: SandboxDeskParts,
  { spec, rules }: Walled,
  { network, timeoutMs = RUN_MAX_MS }: SandboxOrder,
): Promise<RanInSandbox> {
  const denied: Denied[] = [];
  const door =
    network === undefined
      ? null
      : openDoor({
          folder: doors,
          name: `run-${crypto.randomUUID().slice(0, 8)}.sock`,
          rules,
          daemon: { port: port(), take: null },
          onDenied: (one) => denied.length < RAN_KEPT && denied.push(one),
        });
  const texts = { stdout: "", stderr: "" };
  let timedOut = false;
  try {
    const env = { ...spec.env, ...door?.environment };
    await using child = host.spawn({ ...spec, env, walls: { ...spec.walls, door } });
    const timer = setTimeout(() => {
      timedOut = true;
      child.stop({ graceMs: 0 }).catch(() => undefined);
    }, timeoutMs);
    for await (const { stream, bytes } of child.output) texts[stream] += Buffer.from(bytes).toString("utf8");
    const { exitCode, outputDroppedBytes, failure } = await child.exited;
    clearTimeout(timer);
    if (failure !== undefined) throw new HostError(failure.code, `${failure.message} ${texts.stderr}`.trim(), failure);
    return { exitCode, ...texts, timedOut, droppedBytes: outputDroppedBytes, denied };
  } finally {
    door?.close();
  }
}

type DeniedShown = SandboxExplained["network"]["denied"];

function explainOpen(
  { home, limits, cgroups }: SandboxDeskParts,
  id: string,
  spec: SessionSpec,
  denied: DeniedShown,
): SandboxExplained {
  return {
    id,
    mode: spec.sandbox,
    holds: false,
    notices: NOTICES[spec.sandbox],
    files: [
      { path: "/", access: "write", why: "the same files as the person" },
      { path: home, access: "hidden", why: "hidden from sessions if bubblewrap is installed" },
    ],
    network: { open: true, reachable: [], denied },
    limits: { by: null, ...limits(), memoryMb: null, pidsMax: null, cpus: null, absent: [...cgroups.holds] },
  };
}

const NOTICES = {
  off: ["nothing is held: the agent has the person's files, network and HOME"],
  warn: ["what would be refused is written down, and goes through"],
  enforce: ["only what the agent asks for is judged: what it does without asking is not seen"],
  strict: [],
} satisfies { readonly [mode in SessionSpec["sandbox"]]: string[] };

async function explainStrict(
  { host, walls, drivers, cgroups, limits, environment, home, worktrees }: SandboxDeskParts,
  id: string,
  spec: SessionSpec,
  denied: DeniedShown,
): Promise<SandboxExplained> {
  const manifest = drivers.manifest(spec.adapter);
  const found = manifest === null ? null : await drivers.resolve(manifest).catch(() => null);
  const own = { argv: [process.execPath], env: drivers.environment(spec.adapter), shown: [] };
  const { argv, env, shown } = found ?? own;
  const around = treeAround(worktrees, spec.cwd);
  const survey = walls.survey(
    { id, spec },
    {
      driver: true,
      env,
      programs: argv,
      shown: [...shown, ...(around?.readable ?? [])],
      temp: null,
      tree: around?.path ?? null,
    },
  );
  const plan = host.plan({
    argv: ["/bin/sh"],
    cwd: spec.cwd,
    env: allowedEnvironment(environment, { ...env }),
    stdin: "none",
    readBack: around === null ? (isInside(home, spec.cwd) ? [spec.cwd] : []) : [around.path],
    walls: survey.walls,
  });
  const asked = limits();
  const absent = (["memory", "pids", "cpu"] as const).filter((one) => !cgroups.holds.includes(one));
  return {
    id,
    mode: "strict",
    holds: true,
    notices: [
      ...(manifest !== null && found === null
        ? ["its agent is not installed: what it is installed with is not listed"]
        : []),
      ...(around === null ? gitNotices(walls.gitNews({ id, spec })) : []),
    ],
    files: filesIn(plan),
    network: {
      open: false,
      reachable: [
        { host: "the daemon", why: "with the session's own token" },
        ...survey.reach.map(({ rule, why }) => ({ host: spellRule(rule), why })),
      ],
      denied,
    },
    limits: { by: cgroups.by, ...asked, absent },
  };
}

const NAMED_MAX = 5;

function gitNotices({ made, unseen }: GitNews): readonly string[] {
  const named = (paths: readonly string[]) => {
    const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : "";
    return `${paths.slice(0, NAMED_MAX).join(", ")}${more}`;
  };
  const [those, these] = [named(made.map((path) => path || ".")), named(unseen.map((path) => path || "."))];
  return [
    ...(made.length === 0
      ? []
      : [`repositories that were not there when it began: ${those}; git that you run there runs what is set in them`]),
    ...(unseen.length === 0
      ? []
      : [`not all of its directory was looked through for git dirs, not ${these}: one in there can be written to`]),
  ];
}

function filesIn(plan: SandboxPlan): SandboxExplained["files"] {
  const made = [
    { path: "$HOME", access: "write" as const, why: "the session's private home, kept between its turns" },
    { path: "/tmp", access: "write" as const, why: "private to the process and removed with it" },
  ];
  const shown = [...plan.system, ...plan.shown].flatMap((one): SandboxExplained["files"] => {
    if (one.kind === "link") return [];
    return [{ path: one.path, access: one.kind === "cover" ? "hidden" : one.access, why: one.why }];
  });
  return [...shown, ...made];
}
