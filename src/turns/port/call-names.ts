import { createHash } from "node:crypto";
import { canonicalJson, type Json } from "../../kernel/index.ts";
import { DriverError } from "../driver-error.ts";
import type { CallPlace } from "../effects.ts";

/** One call of a run, by the name that the same call has in another run of the turn. */
export interface CallName {
  /** The driver chose the name; it is not made from the order of calls. */
  readonly isKeyed: boolean;
  readonly checkpoint: Json;
  /** A new id that ends in the name. */
  readonly newId: (part: IdPart) => string;
  /** The ending that an earlier run's id has for the same call. */
  readonly tail: (part: IdPart) => string;
}

type IdPart = "effect" | "question";

export interface CallNames {
  readonly reach: (checkpoint: Json) => void;
  /** The ending that an effect with this key has in any run of the turn. */
  readonly tailOf: (key: string) => string;
  /** Refuses a key already used in this run. */
  readonly take: (place: CallPlace) => CallName;
}

const KEY_CHARS_MAX = 200;
const KEYS_MAX = 100_000;
const CHECKPOINT_BYTES_MAX = 16_384;
/** Length of a UUID's time and counter, which lists sort by. The rest, random elsewhere, holds the name. */
const BIRTH_CHARS = 19;

export function createCallNames(turnId: string, newId: () => string): CallNames {
  const used = new Set<string>();
  let reached: Json = null;
  let since = 0;

  const nameOf = (key: string | undefined): string => {
    if (key === undefined) {
      since += 1;
      return `order ${since} after ${canonicalJson(reached)}`;
    }
    if (key === "" || key.length > KEY_CHARS_MAX)
      throw new DriverError("invalid_request", `a key has 1 to ${KEY_CHARS_MAX} characters`);
    if (used.has(key))
      throw new DriverError("invalid_request", `the key ${key} was used in this turn already`, { key });
    if (used.size >= KEYS_MAX) throw new DriverError("limit_reached", "a turn has no more keys", { max: KEYS_MAX });
    used.add(key);
    return `key ${key}`;
  };

  return {
    reach: (checkpoint) => {
      reached = bounded(checkpoint);
      since = 0;
    },
    tailOf: (key) => tailOf(`${turnId}\neffect\nkey ${key}`),
    take: ({ key, checkpoint }) => {
      const own = checkpoint === undefined ? reached : bounded(checkpoint);
      const name = nameOf(key);
      const tail = (part: IdPart) => tailOf(`${turnId}\n${part}\n${name}`);
      return {
        isKeyed: key !== undefined,
        checkpoint: own,
        newId: (part) => `${newId().slice(0, BIRTH_CHARS)}${tail(part)}`,
        tail,
      };
    },
  };
}

/** Limited, because it stays in the session's fold while its question is open. */
function bounded(checkpoint: Json): Json {
  const bytes = Buffer.byteLength(canonicalJson(checkpoint));
  if (bytes > CHECKPOINT_BYTES_MAX)
    throw new DriverError("invalid_request", `a checkpoint has at most ${CHECKPOINT_BYTES_MAX} bytes`, { bytes });
  return checkpoint;
}

export function tailIn(id: string): string {
  return id.slice(BIRTH_CHARS);
}

function tailOf(name: string): string {
  const hash = createHash("sha256").update(name).digest("hex");
  const variant = (8 | (Number.parseInt(hash.charAt(0), 16) & 3)).toString(16);
  return `${variant}${hash.slice(1, 4)}-${hash.slice(4, 16)}`;
}
