import { NomosError } from "../contract/index.ts";
import { type Missing, spellRule } from "../host/index.ts";
import type { SandboxMode, SessionSpec } from "../kernel/index.ts";
import { rulesOf } from "./session-walls.ts";

/** Weakest first: a session that another one starts is held at least as tight. */
const MODES: readonly SandboxMode[] = ["off", "warn", "enforce", "strict"];

export interface SandboxAsked {
  readonly sandbox?: SandboxMode | undefined;
  readonly network?: { readonly allow: readonly string[] } | undefined;
  readonly external?: object | undefined;
}

type Held = Pick<SessionSpec, "sandbox" | "network">;

/** Walls that cannot be held are refused, never pretended; a session cannot give another one what it does not have. */
export function chooseSandbox(asked: SandboxAsked, parent: Held | null, strictMissing: Missing | null): Held {
  const sandbox = stricter(parent?.sandbox ?? "off", asked.sandbox ?? "off");
  if (sandbox === "strict") refuseStrict(asked, strictMissing);
  else if (asked.network !== undefined)
    throw unavailable(["network"], "only `strict` holds a network to a list", "ask for `sandbox: strict` too");
  if (sandbox !== "strict") return { sandbox, network: null };
  const allow = spelled({ network: asked.network ?? null });
  if (parent?.sandbox !== "strict") return { sandbox, network: asked.network === undefined ? null : { allow } };
  const most = spelled(parent);
  const more = allow.filter((rule) => !most.includes(rule));
  if (more.length > 0) throw new NomosError("denied", { rules: ["network_wider_than_parent"], network: more });
  return { sandbox, network: asked.network === undefined ? parent.network : { allow } };
}

function stricter(one: SandboxMode, other: SandboxMode): SandboxMode {
  return MODES.indexOf(one) > MODES.indexOf(other) ? one : other;
}

function refuseStrict({ external }: SandboxAsked, missing: Missing | null): void {
  if (external !== undefined)
    throw unavailable(["sandbox strict"], "somebody else has started this agent", "start it by Nomos");
  if (missing !== null) throw unavailable(["sandbox strict"], missing.missing, missing.remedy);
}

function spelled(held: Pick<SessionSpec, "network">): string[] {
  return rulesOf(held).map(spellRule);
}

function unavailable(asked: readonly string[], missing: string, remedy: string): NomosError {
  const message = `The sandbox cannot be held as asked: ${missing}.`;
  return new NomosError("sandbox_unavailable", { asked: [...asked], missing, remedy }, { message });
}
