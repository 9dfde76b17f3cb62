import { realpath } from "node:fs/promises";
import type { Committer } from "../../commit/index.ts";
import { NomosError, type RanInSandbox, type SandboxExplained } from "../../contract/index.ts";
import { beginCall, finishCall, SYSTEM_STREAM, System } from "../../domains/index.ts";
import {
  allowedEnvironment,
  type Denied,
  HostError,
  type HostRule,
  isInside,
  MARKER_VARIABLE,
  openDoor,
  type ProcessHost,
  type ProcessSpec,
  type SandboxLimits,
  type Walls,
} from "../../host/index.ts";
import type { EventPage, RecordedEvent, Store } from "../../store/index.ts";
import { gitMounts, holdableGit, rulesOf } from "../../supervisor/index.ts";
import type { Caller } from "../records/denials.ts";
import type { SecretUses } from "../secrets/secret-uses.ts";
import { explainOpen, explainStrict, type SandboxParts } from "./explain-sandbox.ts";
import { explainSecrets } from "./explain-secrets.ts";

export interface SandboxOrder {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly network?: { readonly allow: readonly string[] } | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface SandboxTrials {
  /** Names of secrets are shown to their owner and the operator. */
  readonly explain: (id: string, principal: string) => Promise<SandboxExplained>;
  /** Records the call, runs the command to its end, and returns the record; `ran` has the output. */
  readonly run: (order: SandboxOrder, caller: Caller) => Promise<readonly RecordedEvent[]>;
  /** `forgotten`: it ran, but its output was dropped. `unknown`: the daemon crashed before the end. */
  readonly ran: (begun: RecordedEvent) => Promise<RanInSandbox | "forgotten" | "unknown">;
}

export interface SandboxTrialParts extends SandboxParts {
  readonly secrets: SecretUses;
  readonly instance: string;
  readonly doors: string;
  /** The port of this daemon. */
  readonly port: () => number;
  readonly committer: Pick<Committer, "change" | "sessionState">;
  readonly store: Pick<Store, "readStream">;
}

const RAN_KEPT = 50;
const RUN_MAX_MS = 60_000;
const OUTPUT_BYTES_MAX = 1_048_576;

/** For people: explain the sandbox of a session, and run a command in one. */
export function createSandboxTrials(parts: SandboxTrialParts): SandboxTrials {
  const { host, walls, limits, committer } = parts;
  const ran = new Map<string, { readonly result: RanInSandbox } | { readonly thrown: unknown }>();
  return {
    explain: async (id, principal) => {
      const { spec } = await committer.sessionState(id);
      if (spec === null) throw new NomosError("session_not_found", { id });
      const denied = walls.denials(id).map((one) => ({ ...one }));
      const shown = { denied, secrets: await explainSecrets(parts, { id, spec }, principal) };
      return spec.sandbox === "strict" ? explainStrict(parts, id, spec, shown) : explainOpen(parts, id, spec, shown);
    },
    run: async (order, { actor: { principal: actor }, call }) => {
      const walled = await prepare(host, limits(), parts, order);
      // Recorded before it runs, so that a repeated call after a crash does not run it again.
      const { events } = await committer.change(System, "", (state) => beginCall(state, CALL), { actor, call });
      const begun = events[0]?.id ?? "";
      const outcome = await runWalled(host, parts, walled, order).then(
        (result) => ({ result }),
        (thrown: unknown) => ({ thrown }),
      );
      ran.set(begun, outcome);
      for (const [oldest] of ran) if (ran.size > RAN_KEPT) ran.delete(oldest);
      await committer.change(System, "", (state) => finishCall(state, CALL), { actor, cause: begun });
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

const CALL = "sandbox.run";
const PAGE = 500;

/** Whether it ran to its end. Earlier versions recorded `call.made` alone, and only at the end. */
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

/** Makes all checks that can refuse before anything is recorded. */
async function prepare(
  host: ProcessHost,
  limits: SandboxLimits,
  { environment, instance, home }: SandboxTrialParts,
  { argv, cwd, network }: SandboxOrder,
): Promise<Walled> {
  const real = await realpath(cwd).catch(() => null);
  if (real === null) throw new NomosError("cwd_missing", { cwd }, { message: `There is no directory \`${cwd}\`.` });
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
  { doors, port }: SandboxTrialParts,
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
