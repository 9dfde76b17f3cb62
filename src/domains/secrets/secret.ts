import {
  type Decision,
  defineAggregate,
  defineList,
  event,
  type FactOf,
  factsOf,
  type Placed,
  putRow,
  refuse,
  type Transition,
  transition,
} from "../../kernel/index.ts";
import { type SecretScope, spellSecretScope } from "./secret-scope.ts";

/** Where a secret may be sent, for the egress broker. */
export interface SecretBinding {
  readonly host: string;
  readonly header?: string;
  /** What the header holds: `{secret}` stands for the value. */
  readonly format?: string;
  readonly methods?: readonly string[];
  readonly paths?: readonly string[];
  readonly env?: string;
}

/** A value in the vault file. The log knows only its length and its fingerprint. */
interface Sealed {
  readonly valueId: string;
  readonly bytes: number;
  readonly fingerprint: string;
}

export const SECRET_EVENTS = {
  "secret.sealed@1": event<
    Sealed & {
      readonly name: string;
      readonly scope: string;
      readonly owner: string;
      readonly bind: readonly SecretBinding[];
    }
  >({ spaceNeed: "start" }),
  "secret.rotated@1": event<Sealed>({ spaceNeed: "start" }),
  "secret.bound@1": event<{ readonly bind: readonly SecretBinding[] }>({ spaceNeed: "start" }),
  /** `use` says what for: `model openai`, `env API_KEY`. */
  "secret.used@1": event<{ readonly use: string; readonly sessionId: string | null }>({ spaceNeed: "course" }),
  "secret.removed@1": event<Record<string, never>>(),
};

const fact = factsOf(SECRET_EVENTS);

/** Earlier values of one secret that stay known to the redactor: the log may hold what was said before it changed. */
export const RETIRED_VALUES_MAX = 16;

export interface Secret extends Sealed {
  readonly name: string;
  /** Spelled: `home`, `workspace:SLUG`, `agent:SLUG`, `session:ID`. */
  readonly scope: string;
  /** The principal that set it. */
  readonly owner: string;
  readonly bind: readonly SecretBinding[];
  readonly createdAt: string;
  readonly changedAt: string;
  readonly lastUsedAt: string | null;
  readonly uses: number;
}

export type SecretState =
  | { readonly at: "absent"; readonly version: number }
  | {
      readonly at: "present" | "removed";
      readonly version: number;
      readonly secret: Secret;
      /** Ids of earlier values, the newest last. */
      readonly retired: readonly string[];
    };

export const SECRET_TRANSITIONS: readonly Transition<keyof typeof SECRET_EVENTS, SecretState["at"]>[] = [
  { on: "secret.sealed@1", from: ["absent", "removed"], to: "present" },
  { on: "secret.rotated@1", from: ["present"], to: "present" },
  { on: "secret.bound@1", from: ["present"], to: "present" },
  { on: "secret.used@1", from: ["present"], to: "present" },
  { on: "secret.removed@1", from: ["present"], to: "removed" },
];

function evolve(state: SecretState, placed: Placed<FactOf<typeof SECRET_EVENTS>>): SecretState {
  const { fact: given, version, at } = placed;
  if (given === null || transition(SECRET_TRANSITIONS, state.at, given.type) === null) return { ...state, version };
  if (given.type === "secret.sealed@1") {
    const secret: Secret = { ...given.data, createdAt: at, changedAt: at, lastUsedAt: null, uses: 0 };
    return { at: "present", version, secret, retired: state.at === "absent" ? [] : state.retired };
  }
  // The table above lets nothing else happen to an absent secret.
  if (state.at === "absent") return { ...state, version };
  const { secret, retired } = state;
  switch (given.type) {
    case "secret.rotated@1":
      return { ...state, version, secret: { ...secret, ...given.data, changedAt: at }, retired: retire(state) };
    case "secret.bound@1":
      return { ...state, version, secret: { ...secret, bind: given.data.bind } };
    case "secret.used@1":
      return { ...state, version, secret: { ...secret, lastUsedAt: at, uses: secret.uses + 1 } };
    case "secret.removed@1":
      return { at: "removed", version, secret, retired: retire({ secret, retired }) };
  }
}

function retire({ secret, retired }: { readonly secret: Secret; readonly retired: readonly string[] }) {
  return [...retired, secret.valueId].slice(-RETIRED_VALUES_MAX);
}

/** Ids of all values that a secret needs: its own, and those that stay known. */
export function valuesOf(state: SecretState): readonly string[] {
  if (state.at === "absent") return [];
  return state.at === "present" ? [...state.retired, state.secret.valueId] : state.retired;
}

export type NewSecret = Omit<Secret, "createdAt" | "changedAt" | "lastUsedAt" | "uses" | "scope"> & {
  readonly scope: SecretScope;
};

export function sealSecret(state: SecretState, given: NewSecret): Decision {
  const scope = spellSecretScope(given.scope);
  return state.at === "present"
    ? refuse("secret_exists", { name: given.name, scope })
    : [fact("secret.sealed@1", { ...given, scope })];
}

export function rotateSecret(state: SecretState, sealed: Sealed): Decision {
  return state.at === "present" ? [fact("secret.rotated@1", sealed)] : refuse("secret_not_found");
}

export function bindSecret(state: SecretState, bind: readonly SecretBinding[]): Decision {
  return state.at === "present" ? [fact("secret.bound@1", { bind })] : refuse("secret_not_found");
}

export function recordSecretUse(
  state: SecretState,
  given: { readonly use: string; readonly sessionId: string | null },
): Decision {
  return state.at === "present" ? [fact("secret.used@1", given)] : refuse("secret_not_found");
}

export function removeSecret(state: SecretState): Decision {
  return state.at === "present" ? [fact("secret.removed@1", {})] : refuse("secret_not_found");
}

/** A removed secret keeps its row: its values stay known to the redactor. */
export type SecretRow = Extract<SecretState, { at: "present" | "removed" }> & { readonly id: string };

export const SECRETS = defineList<SecretRow>()({
  name: "secret",
  table: "secrets",
  isHot: true,
  keys: {
    /** Null when it is removed, so that lists page through those that are there. */
    place: { text: (row) => (row.at === "present" ? placeKey(row.secret) : null), indexed: true },
    owner: { text: (row) => (row.at === "present" ? row.secret.owner : null), indexed: true },
    present: { flag: (row) => row.at === "present" },
  },
});

/** Sorts by name, then by scope. */
function placeKey({ name, scope }: Pick<Secret, "name" | "scope">): string {
  return `${name} ${scope}`;
}

export const SecretStream = defineAggregate({
  kind: "secret",
  events: SECRET_EVENTS,
  lists: [SECRETS],
  limits: { retiredValues: { max: RETIRED_VALUES_MAX, of: "earlier values of a secret that stay known" } },
  empty: (): SecretState => ({ at: "absent", version: 0 }),
  evolve,
  ownRows: (state, id) => (state.at === "absent" ? [] : [putRow(SECRETS, id, { id, ...state })]),
});
