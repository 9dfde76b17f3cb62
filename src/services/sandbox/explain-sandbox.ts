import type { SandboxExplained } from "../../contract/index.ts";
import {
  allowedEnvironment,
  type Cgroups,
  isInside,
  type ProcessHost,
  type SandboxLimits,
  type SandboxPlan,
  spellRule,
} from "../../host/index.ts";
import type { SessionSpec } from "../../kernel/index.ts";
import { type GitNews, type SessionWalls, treeAround } from "../../supervisor/index.ts";
import type { Drivers } from "../drivers/drivers.ts";

export interface SandboxParts {
  readonly host: ProcessHost;
  readonly walls: SessionWalls;
  readonly drivers: Drivers;
  readonly cgroups: Cgroups;
  readonly limits: () => SandboxLimits;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly worktrees: string;
}

/** What is the same in every mode. */
type Shown = Pick<SandboxExplained, "secrets"> & { readonly denied: DeniedShown };
type DeniedShown = SandboxExplained["network"]["denied"];

export function explainOpen(
  { home, limits, cgroups }: SandboxParts,
  id: string,
  spec: SessionSpec,
  { denied, secrets }: Shown,
): SandboxExplained {
  return {
    id,
    mode: spec.sandbox,
    holds: false,
    notices: [...NOTICES[spec.sandbox], ...secretNotice(secrets)],
    files: [
      { path: "/", access: "write", why: "the same files as the person" },
      { path: home, access: "hidden", why: "hidden from sessions if bubblewrap is installed" },
    ],
    network: { open: true, reachable: [], denied },
    secrets,
    limits: { by: null, ...limits(), memoryMb: null, pidsMax: null, cpus: null, absent: [...cgroups.holds] },
  };
}

const NOTICES = {
  off: ["nothing is held: the agent has the person's files, network and HOME"],
  warn: ["what would be refused is written down, and goes through"],
  enforce: ["only what the agent asks for is judged: what it does without asking is not seen"],
  strict: [],
} satisfies { readonly [mode in SessionSpec["sandbox"]]: string[] };

export async function explainStrict(
  { host, walls, drivers, cgroups, limits, environment, home, worktrees }: SandboxParts,
  id: string,
  spec: SessionSpec,
  { denied, secrets }: Shown,
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
      ...secretNotice(secrets),
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
    secrets,
    limits: { by: cgroups.by, ...asked, absent },
  };
}

/** There is no broker yet that adds a secret to a request outside of the process. */
function secretNotice(secrets: SandboxExplained["secrets"]): readonly string[] {
  return secrets.length === 0
    ? []
    : ["a process that is given a secret holds it: it can read it and send it wherever it can connect to"];
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
    { path: "$HOME", access: "write" as const, why: "of the session's own, kept between its turns" },
    { path: "/tmp", access: "write" as const, why: "of the process's own, gone with it" },
  ];
  const shown = [...plan.system, ...plan.shown].flatMap((one): SandboxExplained["files"] => {
    if (one.kind === "link") return [];
    return [{ path: one.path, access: one.kind === "cover" ? "hidden" : one.access, why: one.why }];
  });
  return [...shown, ...made];
}
