import type { By } from "../../commit/index.ts";
import { toNomosError } from "../../contract/index.ts";
import { HOME_SCOPE } from "../../domains/index.ts";
import type { Fingerprints } from "../../host/index.ts";
import type { Redactor } from "../../redaction/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import type { ConfigService } from "../config/settings.ts";
import { OPERATOR } from "./owner.ts";
import { type PlaintextKey, plaintextKeys } from "./plaintext-keys.ts";
import type { Secrets } from "./secrets.ts";

/** Keys that lie in `config.json`, and how they get into the vault. */
export interface PlaintextMover {
  readonly find: () => readonly PlaintextKey[];
  /** Why a value cannot be a secret; null: it can. */
  readonly fault: (key: PlaintextKey) => string | null;
  readonly move: (by: By) => Promise<readonly RecordedEvent[]>;
}

const NAMES_TRIED_MAX = 20;

export function createPlaintextMover(deps: {
  readonly config: Pick<ConfigService, "show" | "change">;
  readonly redactor: Pick<Redactor, "find">;
  readonly secrets: Pick<Secrets, "set" | "show" | "fault">;
  readonly fingerprints: Fingerprints;
}): PlaintextMover {
  const { config, redactor, secrets, fingerprints } = deps;
  const find = () => plaintextKeys(config.show(), redactor);
  const fault = ({ value }: PlaintextKey) => secrets.fault(value)?.says ?? null;
  /** A name that is free, or that holds this value already: an earlier move was cut before the configuration changed. */
  const nameFor = async ({
    name,
    value,
  }: PlaintextKey): Promise<{ readonly name: string; readonly isSealed: boolean }> => {
    for (let number = 1; number <= NAMES_TRIED_MAX; number += 1) {
      const tried = number === 1 ? name : `${name}_${number}`;
      const there = await secrets.show({ name: tried, scope: HOME_SCOPE }, OPERATOR).catch(orMissing);
      if (there === null) return { name: tried, isSealed: false };
      if (!there.lost && there.fingerprint === fingerprints.of(value)) return { name: tried, isSealed: true };
    }
    return { name, isSealed: false };
  };

  return {
    find,
    fault,
    move: async (by) => {
      const events: RecordedEvent[] = [];
      for (const key of find().filter((one) => fault(one) === null)) {
        const { name, isSealed } = await nameFor(key);
        const given = { name, value: key.value, scope: HOME_SCOPE, bind: [] };
        // Only the first one carries the caller's call; a call is recorded once.
        const each = events.length === 0 ? by : { ...by, call: null };
        if (!isSealed) events.push(...(await secrets.set(given, OPERATOR, each)));
        // In the vault first: a crash in between leaves the key in both places, and the next move finds it sealed.
        await config.change(withReference(config.show(), key, name));
      }
      return events;
    },
  };
}

function orMissing(thrown: unknown): null {
  if (toNomosError(thrown).code === "secret_not_found") return null;
  throw thrown;
}

/** The change of the configuration that puts the name in place of the value. */
function withReference(config: object, { path, prefix }: PlaintextKey, name: string): Record<string, unknown> {
  const [top = "", ...rest] = path;
  const reference = prefix === "" ? { secret: name } : { secret: name, prefix };
  return { [top]: replaced(Reflect.get(config, top), rest, reference) };
}

function replaced(value: unknown, [member, ...rest]: readonly string[], by: object): unknown {
  if (member === undefined) return by;
  const members: object = typeof value === "object" && value !== null ? value : {};
  return { ...members, [member]: replaced(Reflect.get(members, member), rest, by) };
}
