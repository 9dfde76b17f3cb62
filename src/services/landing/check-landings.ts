import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { LandingOrder } from "../../domains/index.ts";
import type { LandingRepository } from "../../host/index.ts";
import type { CheckReport } from "./judge.ts";
import type { LandingDeps } from "./landing-deps.ts";

/** Runs checks, of a few landings at once. */
export interface CheckRuns {
  readonly check: (given: ToCheck, signal: AbortSignal) => Promise<CheckReport>;
  /** The check of a landing that runs now. */
  readonly checking: (id: string) => string | null;
}

export interface ToCheck {
  readonly opened: LandingRepository;
  readonly landings: readonly { readonly id: string; readonly order: LandingOrder }[];
  /** Where the branch points. */
  readonly onto: string;
  readonly commit: string;
}

/** Lanes whose checks run at the same time; others wait. */
const AT_ONCE = 4;

export function createCheckRuns(
  deps: Pick<LandingDeps, "judge" | "law" | "settings" | "scratch" | "discard">,
): CheckRuns {
  const running = new Map<string, string>();
  const places = createPlaces(AT_ONCE);

  const run = async (
    { opened, landings, onto, commit }: ToCheck,
    checks: readonly (readonly string[])[],
    signal: AbortSignal,
  ): Promise<CheckReport> => {
    const [first] = landings;
    await mkdir(deps.scratch, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(deps.scratch, "check-"));
    try {
      const orders = landings.map(({ order }) => order);
      const about = { opened, landings: orders, branch: first?.order.into ?? "", tip: onto, commit, folder };
      const tell = (command: string | null): void => {
        for (const { id } of landings) {
          if (command === null) running.delete(id);
          else running.set(id, command);
        }
      };
      return await deps.judge.check({ ...about, checks, running: tell }, signal);
    } finally {
      for (const { id } of landings) running.delete(id);
      await deps.discard(folder);
    }
  };

  return {
    checking: (id) => running.get(id) ?? null,
    check: async (given, signal) => {
      const checks = await checksOf(deps, given);
      // Hooks are short; whoever has no checks does not wait for those of others.
      if (checks.length === 0) return run(given, checks, signal);
      await places.take(signal);
      try {
        return await run(given, checks, signal);
      } finally {
        places.leave();
      }
    },
  };
}

interface Places {
  readonly take: (signal: AbortSignal) => Promise<void>;
  readonly leave: () => void;
}

/** Who leaves hands the place to who waits longest; who is aborted no longer waits. */
function createPlaces(max: number): Places {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    take: async (signal) => {
      signal.throwIfAborted();
      if (taken < max) {
        taken += 1;
        return;
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push(resolve);
      const stop = (): void => {
        const at = waiting.indexOf(resolve);
        if (at !== -1) waiting.splice(at, 1);
        // Does nothing once it was let in.
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      await promise.finally(() => signal.removeEventListener("abort", stop));
    },
    leave: () => {
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next();
    },
  };
}

/** Those of the configuration first, then those of the landings, then those of law and tickets; each once. */
async function checksOf(
  { settings, law }: Pick<LandingDeps, "settings" | "law">,
  given: ToCheck,
): Promise<readonly (readonly string[])[]> {
  const orders = given.landings.map(({ order }) => order);
  const lawful = await Promise.all(orders.map((order) => law?.checks(order, given) ?? []));
  const all = [...settings().checks, ...orders.flatMap(({ checks }) => checks), ...lawful.flat()];
  return [...new Map(all.map((check) => [JSON.stringify(check), check])).values()];
}
