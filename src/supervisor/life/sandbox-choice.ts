import { NomosError } from "../../contract/index.ts";
import { isExact, type Missing, spellRule } from "../../host/index.ts";
import type { SandboxMode, SessionSpec } from "../../kernel/index.ts";
import { rulesOf } from "../processes/session-walls.ts";

/** Weakest first: a session that another one starts is held at least as tight. */
const MODES: readonly SandboxMode[] = ["off", "warn", "enforce", "strict"];

export interface SandboxAsked {
  readonly sandbox?: SandboxMode | undefined;
  readonly network?: { readonly allow: readonly string[] } | undefined;
  readonly external?: object | undefined;
  /** Of the token that asks: nothing weaker is started with it. */
  readonly floor?: SandboxMode | undefined;
}

type Held = Pick<SessionSpec, "sandbox" | "network">;

/** Walls that cannot be held are refused, never pretended; a session cannot give another one what it does not have. */
export function chooseSandbox(asked: SandboxAsked, parent: Held | null, strictMissing: Missing | null): Held {
  const floor = asked.floor ?? "off";
  // Whoever names no mode gets the floor; whoever names a weaker one is told.
  refuseBelow(floor, asked.sandbox ?? (asked.external === undefined ? floor : "off"));
  const sandbox = stricter(stricter(parent?.sandbox ?? "off", floor), asked.sandbox ?? "off");
  if (sandbox === "strict") refuseStrict(asked, strictMissing);
  else if (asked.network !== undefined)
    throw unavailable(["network"], "only `strict` holds a network to a list", "ask for `sandbox: strict` too");
  if (sandbox !== "strict") return { sandbox, network: null };
  if (floor !== "off") refusePorts(asked.network ?? null);
  const allow = spelled({ network: asked.network ?? null });
  if (parent?.sandbox !== "strict") return { sandbox, network: asked.network === undefined ? null : { allow } };
  const most = spelled(parent);
  const more = allow.filter((rule) => !most.includes(rule));
  if (more.length > 0) throw new NomosError("denied", { rules: ["network_wider_than_parent"], network: more });
  return { sandbox, network: asked.network === undefined ? parent.network : { allow } };
}

/** A token drives nothing with more of the person's rights than it was given. */
export function refuseBelow(floor: SandboxMode | undefined, sandbox: SandboxMode): void {
  if (floor !== undefined && isWeaker(sandbox, floor)) throw new NomosError("sandbox_floor", { sandbox, floor });
}

export function isWeaker(one: SandboxMode, other: SandboxMode): boolean {
  return MODES.indexOf(one) < MODES.indexOf(other);
}

export function stricter(one: SandboxMode, other: SandboxMode): SandboxMode {
  return MODES.indexOf(one) > MODES.indexOf(other) ? one : other;
}

function refuseStrict({ external }: SandboxAsked, missing: Missing | null): void {
  if (external !== undefined)
    throw unavailable(["sandbox strict"], "somebody else has started this agent", "start it by Nomos");
  if (missing !== null) throw unavailable(["sandbox strict"], missing.missing, missing.remedy);
}

/** A host with its port may be one that is not public, such as a service of the person's own on this machine. */
function refusePorts(network: SessionSpec["network"]): void {
  const exact = rulesOf({ network }).filter(isExact).map(spellRule);
  if (exact.length > 0) throw new NomosError("denied", { rules: ["network_port"], network: exact });
}

function spelled(held: Pick<SessionSpec, "network">): string[] {
  return rulesOf(held).map(spellRule);
}

function unavailable(asked: readonly string[], missing: string, remedy: string): NomosError {
  const message = `This machine cannot provide the requested sandbox: ${missing}.`;
  return new NomosError("sandbox_unavailable", { asked: [...asked], missing, remedy }, { message });
}
