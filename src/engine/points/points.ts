import type { Answer, Given, Patch, PointName } from "./point-map.ts";
import { ENDING, JOINED, POINTS } from "./point-rules.ts";

export interface Points {
  /** False: firing does nothing, so there is no need to put together what would be given. */
  readonly has: (name: PointName) => boolean;
  /**
   * Handlers run one after another in the order of their registration, each with the changes of those before. Guards run
   * after them, because they judge what will really be done; a guard only blocks.
   */
  readonly on: <Name extends PointName>(
    name: Name,
    handler: PointHandler<Name>,
    options?: HandlerOptions,
  ) => () => void;
  readonly fire: <Name extends PointName>(name: Name, given: Given<Name>) => Promise<Answer<Name>>;
}

/** The signal is aborted when the handler's time is over. */
export type PointHandler<Name extends PointName> = (
  given: Given<Name>,
  signal: AbortSignal,
) => Patch<Name> | undefined | Promise<Patch<Name> | undefined>;

export interface HandlerOptions {
  /** Only at guarded points. An error or a time-out of a guard blocks; of other handlers it is reported and skipped. */
  readonly guard?: true;
}

export interface PointFailure {
  readonly point: PointName;
  readonly isGuard: boolean;
  readonly error: Error;
}

export function createPoints(
  onError: (failure: PointFailure) => void,
  { handlerMsMax = HANDLER_MS_MAX }: { readonly handlerMsMax?: number } = {},
): Points {
  const registered = new Map<PointName, readonly Registered[]>();

  const fireAll = async (point: PointName, given: Fields, handlers: readonly Registered[]): Promise<unknown> => {
    const asking = openAnswer(point, given);
    for (const { handler, isGuard } of handlers) {
      try {
        const answer = await inTime(handler, asking.given(), handlerMsMax);
        asking.add(answer, isGuard);
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        onError({ point, isGuard, error });
        if (isGuard) asking.add({ block: true, reason: `a guard failed: ${error.message}` }, true);
      }
      if (asking.isOver()) break;
    }
    return asking.answer();
  };

  return {
    has: (name) => registered.has(name),
    on: (name, handler, { guard } = {}) => {
      if (guard === true && POINTS[name].isGuarded !== true) throw new Error(`there are no guards at ${name}`);
      const one: Registered = { handler: handler as ErasedHandler, isGuard: guard === true };
      const all = [...(registered.get(name) ?? []), one];
      registered.set(name, [...all.filter(({ isGuard }) => !isGuard), ...all.filter(({ isGuard }) => isGuard)]);
      return () => {
        const left = (registered.get(name) ?? []).filter((other) => other !== one);
        if (left.length === 0) registered.delete(name);
        else registered.set(name, left);
      };
    },
    fire: <Name extends PointName>(name: Name, given: Given<Name>) => {
      const handlers = registered.get(name);
      const answer = handlers === undefined ? NOTHING : fireAll(name, given as Fields, handlers);
      // `on` takes only handlers of this point's types, and `openAnswer` puts their answers together by its rule.
      return answer as Promise<Answer<Name>>;
    },
  };
}

const HANDLER_MS_MAX = 5000;
/** What every point without handlers answers: no allocation, no work. */
const NOTHING: Promise<unknown> = Promise.resolve(undefined);

type Fields = Readonly<Record<string, unknown>>;
type ErasedHandler = (given: Fields, signal: AbortSignal) => unknown;

interface Registered {
  readonly handler: ErasedHandler;
  readonly isGuard: boolean;
}

/** Puts answers together: what each handler is given contains the changes of those before it. */
function openAnswer(point: PointName, first: Fields) {
  const { fields, within } = POINTS[point];
  const known: readonly string[] = fields;
  let given = first;
  let patch: Fields | undefined;

  return {
    given: () => given,
    add: (answer: unknown, isGuard: boolean): void => {
      if (answer === undefined || answer === null) return;
      if (!isFields(answer)) throw new Error(`the answer at ${point} is no object but ${typeof answer}`);
      const own = known.filter((field) => answer[field] !== undefined && (!isGuard || GUARDED_FIELDS.includes(field)));
      if (own.length === 0) return;
      const before = patch ?? {};
      const next = Object.fromEntries(own.map((field) => [field, joined(field, before[field], answer[field])]));
      patch = { ...before, ...next };
      const inner = within === undefined ? given : given[within];
      const changed = { ...(isFields(inner) ? inner : {}), ...next };
      given = within === undefined ? changed : { ...given, [within]: changed };
    },
    isOver: () => ENDING.some((field) => patch?.[field] === true),
    answer: (): unknown => (patch === undefined || within === undefined ? patch : given[within]),
  };
}

/** A guard judges what the others made; it does not change it behind the back of an earlier guard. */
const GUARDED_FIELDS: readonly string[] = ["block", "reason"];

function joined(field: string, before: unknown, next: unknown): unknown {
  return JOINED.includes(field) && Array.isArray(before) && Array.isArray(next) ? [...before, ...next] : next;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A handler that answers at once costs no timer. */
async function inTime(handler: ErasedHandler, given: Fields, msMax: number): Promise<unknown> {
  const stop = new AbortController();
  const answer = handler(given, stop.signal);
  if (!(answer instanceof Promise)) return answer;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`a handler took longer than ${msMax} ms`);
    stop.abort(error);
    reject(error);
  }, msMax);
  try {
    // What it answers or throws later is lost: `race` has taken both promises.
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
