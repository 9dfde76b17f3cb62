/** For whom a secret is meant. `home` is every session of its owner. */
export type SecretScope =
  | { readonly kind: "home" }
  | { readonly kind: "workspace" | "agent" | "session"; readonly name: string };

export const HOME_SCOPE: SecretScope = { kind: "home" };

/** Where a session works. Null: it has none, as in a call outside of a session. */
export interface SecretPlace {
  readonly workspace: string | null;
  readonly agent: string | null;
  readonly sessionId: string | null;
  /** The principal whose secrets it may use. */
  readonly owner: string;
}

/** `home`, `workspace:SLUG`, `agent:SLUG`, `session:ID`. */
export function spellSecretScope(scope: SecretScope): string {
  return scope.kind === "home" ? "home" : `${scope.kind}:${scope.name}`;
}

/** Null when the text is no scope. */
export function parseSecretScope(text: string): SecretScope | null {
  if (text === "home") return HOME_SCOPE;
  const [, kind, name] = SCOPE_FORM.exec(text) ?? [];
  if (name === undefined || (kind !== "workspace" && kind !== "agent" && kind !== "session")) return null;
  return { kind, name };
}

const SCOPE_FORM = /^(workspace|agent|session):([A-Za-z0-9][A-Za-z0-9._-]{0,127})$/;

/** The scopes that reach a place, the narrowest first: it wins. */
export function scopesReaching({ sessionId, agent, workspace }: SecretPlace): readonly SecretScope[] {
  const named = (kind: "session" | "agent" | "workspace", name: string | null): readonly SecretScope[] =>
    name === null ? [] : [{ kind, name }];
  return [...named("session", sessionId), ...named("agent", agent), ...named("workspace", workspace), HOME_SCOPE];
}
