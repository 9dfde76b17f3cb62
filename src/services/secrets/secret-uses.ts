import { NomosError } from "../../contract/index.ts";
import type { SecretPlace } from "../../domains/index.ts";
import { SESSIONS, type SessionSpec } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { type PresentSecret, secretAt } from "./find-secret.ts";
import { lockedError } from "./locked.ts";
import { OPERATOR } from "./owner.ts";
import { refuseVariable, variableOf } from "./secret-variable.ts";
import type { Secrets } from "./secrets.ts";

/** Hands values to what needs them: a model's request, a driver's process, the processes of a session. */
export interface SecretUses {
  /** Whose secrets a principal works with. */
  readonly ownerOf: (principal: string) => Promise<string>;
  /** The value of a reference in the configuration. It means a secret of the operator, whoever started the session. */
  readonly configured: (name: string, use: string, sessionId: string | null) => Promise<string>;
  /** What would become of such a reference, without a use: null when it has a value. */
  readonly problem: (name: string) => Promise<NomosError | null>;
  /** Refuses names that a new session of this principal could not use. */
  readonly requireForSession: (
    spec: Pick<SessionSpec, "secrets" | "workspace" | "agent">,
    principal: string,
  ) => Promise<void>;
  /** The session's secrets as variables. Throws when one of them has no value. */
  readonly variables: (sessionId: string, spec: SessionSpec) => Promise<Readonly<Record<string, string>>>;
  /** The variables of a driver that its configuration takes from the vault. */
  readonly ofDriver: (
    variables: (slug: string) => Readonly<Record<string, string>>,
  ) => (sessionId: string, spec: SessionSpec) => Promise<Readonly<Record<string, string>>>;
  /** The same without values and without a use: which variable holds which secret. */
  readonly held: (sessionId: string, spec: SessionSpec) => Promise<readonly HeldSecret[]>;
}

interface HeldSecret {
  readonly name: string;
  readonly variable: string;
  readonly owner: string;
  /** Why its next process gets no value; null: it gets one. */
  readonly problem: NomosError | null;
}

/** Higher than any depth limit that can be configured. */
const STEPS_UP_MAX = 64;

export function createSecretUses(secrets: Secrets, store: Pick<Store, "row">): SecretUses {
  const requireAt = async (name: string, place: SecretPlace): Promise<PresentSecret> => {
    const found = await secretAt(store, name, place);
    if (found === null) throw missing(name);
    return found;
  };
  const problemAt = async (name: string, place: SecretPlace): Promise<NomosError | null> => {
    const found = await secretAt(store, name, place);
    if (found === null) return missing(name);
    const state = secrets.state();
    if (state.at === "locked") return lockedError(state);
    return (await secrets.showById(found.id)).lost ? new NomosError("secret_lost", { name }) : null;
  };
  /** Sessions below another get their parent's values, so the session at the top says which ones are meant. */
  const placeOf = async (sessionId: string): Promise<SecretPlace> => {
    let top = sessionId;
    for (let steps = 0; steps < STEPS_UP_MAX; steps += 1) {
      const parent = (await store.row(SESSIONS, top))?.parentSessionId ?? null;
      if (parent === null) break;
      top = parent;
    }
    const place = await secrets.owners.placeOf(top);
    if (place === null) throw new NomosError("session_not_found", { id: top });
    return place;
  };
  const atHome = (sessionId: string | null): SecretPlace => ({
    workspace: null,
    agent: null,
    sessionId,
    owner: OPERATOR,
  });

  const configured = async (name: string, use: string, sessionId: string | null): Promise<string> => {
    await requireAt(name, atHome(sessionId));
    return secrets.resolve(name, atHome(sessionId), use);
  };

  return {
    ownerOf: secrets.owners.ofPrincipal,
    configured,
    problem: (name) => problemAt(name, atHome(null)),
    requireForSession: async ({ secrets: names = [], workspace, agent }, principal) => {
      const place = { workspace, agent, sessionId: null, owner: await secrets.owners.ofPrincipal(principal) };
      const taken = new Map<string, string>();
      for (const name of names) {
        const variable = variableOf(await requireAt(name, place));
        refuseVariable(name, variable, taken.get(variable));
        taken.set(variable, name);
        const problem = await problemAt(name, place);
        if (problem !== null) throw problem;
      }
    },
    variables: async (sessionId, { secrets: names = [] }) => {
      if (names.length === 0) return {};
      const place = await placeOf(sessionId);
      const found: [string, string][] = [];
      for (const name of names) {
        const variable = variableOf(await requireAt(name, place));
        refuseVariable(name, variable);
        const below = place.sessionId === sessionId ? "" : ` of session ${sessionId}`;
        found.push([variable, await secrets.resolve(name, place, `env ${variable}${below}`)]);
      }
      return Object.fromEntries(found);
    },
    ofDriver:
      (variables) =>
      async (sessionId, { adapter }) => {
        const found: [string, string][] = [];
        for (const [variable, name] of Object.entries(variables(adapter)))
          found.push([variable, await configured(name, `driver ${adapter}, env ${variable}`, sessionId)]);
        return Object.fromEntries(found);
      },
    held: async (sessionId, { secrets: names = [] }) => {
      if (names.length === 0) return [];
      const place = await placeOf(sessionId);
      const one = async (name: string): Promise<HeldSecret> => {
        const found = await secretAt(store, name, place);
        const variable = found === null ? name : variableOf(found);
        return { name, variable, owner: place.owner, problem: await problemAt(name, place) };
      };
      return Promise.all(names.map(one));
    },
  };
}

function missing(name: string): NomosError {
  const message = `There is no secret ${name}.`;
  return new NomosError("secret_not_found", { name }, { message, remedy: `Run \`nomos secret set ${name}\`.` });
}
