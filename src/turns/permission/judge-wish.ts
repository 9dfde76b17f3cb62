import { type Request, strictest, type Verdict, type Voice } from "../../domains/index.ts";
import type { Wish } from "../questions.ts";
import { type Change, type Ground, locate, type Place, voicesAt } from "./ground.ts";
import type { TurnGate } from "./turn-gate.ts";

/** Kinds of tools as ACP names them. */
const CHANGING: readonly string[] = ["edit", "delete", "move"];
const VAGUE = "other";
const KINDS: readonly string[] = [
  ...["read", ...CHANGING, "search", "execute", "think", "fetch", "switch_mode"],
  VAGUE,
];
const verbOf = (kind: string): string => `agent.${kind}`;

/** What a foreign agent may ask for, by the kind of its tool. */
const AGENT_VERBS: readonly string[] = KINDS.map(verbOf);
/** All that the gate is asked about in a turn. Effects are open in kind: an engine brings tools of its own. */
export const TURN_VERBS: readonly string[] = ["tool.*", ...AGENT_VERBS];

/** Whether a turn asks the gate about it, and not a call. */
export function isTurnVerb(verb: string): boolean {
  return verb.startsWith("tool.") || AGENT_VERBS.includes(verb);
}

const PATHS_MAX = 1000;

/** A foreign agent's wish as the gate judged it: one request for each thing that it names, the strictest verdict counts. */
export interface JudgedWish extends Verdict {
  readonly verb: string;
  /** Of the request that was judged strictest. */
  readonly resource: string;
  /** Some rule asks, and not just the agent's tool policy: a yes holds once. */
  readonly isRuled: boolean;
}

type Tool = NonNullable<Request["tool"]>;

export function judgeWish(gate: TurnGate, wish: Wish, tool: Tool, ground: Ground): JudgedWish {
  const verdicts = requestsOf(gate, wish, tool, ground).map((request) => ({
    request,
    ...gate.decide({ ...request, tool }),
  }));
  const { verdict, rules } = strictest(verdicts);
  const { verb, resource } = verdicts.find((one) => one.verdict === verdict)?.request ?? {
    verb: verbOf(VAGUE),
    resource: wish.resource,
  };
  return { verdict, rules, verb, resource, isRuled: rules.some(isWritten) };
}

const isWritten = (rule: string): boolean => rule !== "default" && !rule.startsWith("tool_policy:on_demand");

type WishedRequest = Pick<Request, "verb" | "resource"> & { readonly voices: readonly Voice[] };

function requestsOf(gate: TurnGate, wish: Wish, tool: Tool, ground: Ground): readonly WishedRequest[] {
  const isKnown = KINDS.includes(wish.tool);
  const verb = verbOf(isKnown ? wish.tool : VAGUE);
  // A person who named the kind in the agent's tool policy knows it.
  const unknown: readonly Voice[] = isKnown || tool.isDefault !== true ? [] : [{ id: "unknown_kind", effect: "ask" }];
  const places = placesOf(wish, ground);
  const changed = places.filter(({ isChanged }) => isChanged && !CHANGING.includes(wish.tool));
  const others = places.filter((one) => !changed.includes(one));
  const at = (judged: string, { place, change }: WishedPlace): WishedRequest => {
    const resource = place?.resource ?? wish.resource;
    const voices = [...unknown, ...voicesAt(ground, place, change), ...couldBe(gate, judged, resource)];
    return { verb: judged, resource, voices };
  };
  const edits = changed.map((one) => at(verbOf("edit"), one));
  const runs = wish.command === undefined || BY_INPUT.includes(wish.tool) ? [] : [run(wish.command)];
  if (others.length > 0 && !BY_INPUT.includes(wish.tool))
    return [...runs, ...edits, ...others.map((one) => at(verb, one))];
  // A command or an address is what it is about; the places beside it may still lie out of reach.
  const beside = others.flatMap(({ place, change }) => voicesAt(ground, place, change));
  const isNamed = edits.length + runs.length > 0;
  const whole = [...unknown, ...couldBe(gate, verb, wish.resource), ...beside];
  const voices = isNamed ? whole : [...whole, ...unnamed(gate, wish, verb, ground)];
  return [{ verb, resource: wish.resource, voices }, ...runs, ...edits];
}

/** Kinds that are about what the tool is given, and not about the files beside it. */
const BY_INPUT: readonly string[] = ["execute", "fetch"];
const run = (resource: string): WishedRequest => ({ verb: verbOf("execute"), resource, voices: [] });

interface WishedPlace {
  readonly place: Place | null;
  readonly change: Change;
  readonly isChanged: boolean;
}

function placesOf({ tool, paths = [] }: Wish, ground: Ground): readonly WishedPlace[] {
  // Nobody reads through that many: as good as unresolved.
  if (paths.length > PATHS_MAX) return [{ place: null, change: "yes", isChanged: false }];
  const usual: Change = CHANGING.includes(tool) ? "yes" : KINDS.includes(tool) && tool !== VAGUE ? "no" : "maybe";
  return paths.map(({ path, isChanged }) => ({
    place: locate(ground, path),
    change: isChanged ? "yes" : usual,
    isChanged,
  }));
}

/** A tool of no particular kind may do anything: a rule against any of it makes a person decide. */
function couldBe(gate: TurnGate, verb: string, resource: string): readonly Voice[] {
  if (verb !== verbOf(VAGUE)) return [];
  const restricted = AGENT_VERBS.filter((one) => one !== verb && gate.restricts(one, resource));
  return restricted.map((one) => ({ id: `could_be:${one}`, effect: "ask" }));
}

/** A change that names no file could be of any: where some are refused, a person decides. */
function unnamed(gate: TurnGate, { tool }: Wish, verb: string, { scope, sandbox }: Ground): readonly Voice[] {
  const isHeld = scope !== null || sandbox !== "off" || gate.restricts(verb, null);
  return CHANGING.includes(tool) && isHeld ? [{ id: "unnamed_path", effect: "ask" }] : [];
}
