import { mkdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import {
  allowedEnvironment,
  type HostProcess,
  isInside,
  MARKER_VARIABLE,
  type Mount,
  openDoor,
  type ProcessHost,
  parseHostRule,
  type ResourceLimits,
  type SandboxLimits,
} from "../../../host/index.ts";
import { createEnds } from "./output-ends.ts";

export interface WalledMeans {
  readonly host: Pick<ProcessHost, "spawn">;
  /** Marks processes, so that a later daemon finds leftover ones where there is no sandbox. */
  readonly instance: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Where sockets of walled processes are made. */
  readonly doors: string;
  readonly port: () => number;
  readonly sandboxLimits: () => SandboxLimits;
  readonly processLimits: () => ResourceLimits;
}

/** A folder with the files that a program is run on, and what it may reach of everything else. */
export interface WalledPlace {
  /** The only folder that is writable, beside an own HOME and an own temp directory. */
  readonly tree: string;
  /** For HOME and temp: gone with the landing. */
  readonly folder: string;
  readonly readable: readonly string[];
  /** `off`: as the person. Only where the configuration says so. */
  readonly sandbox: "strict" | "off";
  readonly network: readonly string[];
  readonly timeoutMs: number;
}

export interface WalledRun {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whoever named the program may have it read from anywhere. */
  readonly isTrusted: boolean;
}

export interface Ran {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** The beginning and the end of what it printed. */
  readonly head: string;
  readonly tail: string;
}

/** What a build needs of the person's environment. No token, key or agent socket is among it. */
const VARIABLES = /^(?:PATH|HOME|USER|LANG|LC_\w+|TZ|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_\w+)$/;

/**
 * Runs a program on files that an agent wrote, to its end. Everything that it starts ends with it: behind the walls it has
 * a process namespace of its own. Throws a `HostError` when it cannot be started.
 */
export async function runWalled(
  means: WalledMeans,
  place: WalledPlace,
  run: WalledRun,
  signal: AbortSignal,
): Promise<Ran> {
  const rules = place.network.flatMap((text) => parseHostRule(text) ?? []);
  const door =
    place.sandbox === "off" || rules.length === 0
      ? null
      : openDoor({
          folder: means.doors,
          name: `land-${crypto.randomUUID().slice(0, 8)}.sock`,
          rules,
          daemon: { port: means.port(), take: null },
          onDenied: () => undefined,
        });
  try {
    const child = await start(means, place, run, door);
    return await toItsEnd(child, place.timeoutMs, signal);
  } finally {
    door?.close();
  }
}

async function start(
  { host, instance, environment, home, sandboxLimits, processLimits }: WalledMeans,
  { tree, folder, readable, sandbox }: WalledPlace,
  { argv, env = {}, isTrusted }: WalledRun,
  door: ReturnType<typeof openDoor> | null,
): Promise<HostProcess> {
  const few = Object.fromEntries(Object.entries(environment).filter(([name]) => VARIABLES.test(name)));
  const [own, temp] = [join(folder, "home"), join(folder, "temp")];
  for (const path of [own, temp]) await mkdir(path, { recursive: true, mode: 0o700 });
  const mounts = readable.map((path): Mount => ({ path, access: "read", why: "of the repository" }));
  const [program = ""] = argv;
  const walls = {
    mounts,
    programs: [process.execPath, ...(isTrusted && isAbsolute(program) ? [program] : [])],
    home: own,
    temp,
    door,
    limits: sandboxLimits(),
  };
  const marked = { CI: "true", ...env, [MARKER_VARIABLE]: `${instance}:landing` };
  return host.spawn({
    argv,
    cwd: tree,
    env: allowedEnvironment(few, marked),
    stdin: "none",
    readBack: [tree, own, temp].filter((path) => isInside(home, path)),
    shown: readable.filter((path) => isInside(home, path)),
    limits: processLimits(),
    ...(sandbox === "off" ? {} : { walls }),
  });
}

async function toItsEnd(child: HostProcess, timeoutMs: number, signal: AbortSignal): Promise<Ran> {
  await using running = child;
  let timedOut = false;
  const kill = (): void => void running.stop({ graceMs: 0 }).catch(() => undefined);
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, timeoutMs);
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  try {
    const ends = createEnds();
    for await (const { bytes } of running.output) ends.push(bytes);
    const { exitCode, failure } = await running.exited;
    if (failure !== undefined && !timedOut && !signal.aborted) throw failure;
    return { exitCode, timedOut, ...ends.texts() };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
  }
}
