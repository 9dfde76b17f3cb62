import { NomosError } from "../../contract/index.ts";
import { isExact, type Missing, spellRule } from "../../host/index.ts";
import type { SandboxMode, SessionSpec } from "../../kernel/index.ts";
import { rulesOf } from "../processes/session-walls.ts";

/** Weakest first. A session's child gets at least its parent's mode. */
const MODES: readonly SandboxMode[] = ["off", "warn", "enforce", "strict"];

export interface SandboxAsked {
  readonly sandbox?: SandboxMode | undefined;
  readonly network?: { readonly allow: readonly string[] } | undefined;
  readonly external?: object | undefined;
  /** The floor of the caller's token: it starts no session with a weaker mode. */
  readonly floor?: SandboxMode | undefined;
}

type Held = Pick<SessionSpec, "sandbox" | "network">;

/** A mode that cannot be enforced is refused. A child gets no weaker mode and no wider network than its parent. */
export function chooseSandbox(asked: SandboxAsked, parent: Held | null, strictMissing: Missing | null): Held {
  const floor = asked.floor ?? "off";
  // No mode given: use the floor. A weaker mode given: refuse.
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

/** Refuses a sandbox mode below the token's floor. */
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

/** A rule with a port may name a private host, such as a service on this machine. */
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
