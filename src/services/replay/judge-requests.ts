import type { Policy, ToolPolicy, Verdict } from "../../domains/index.ts";
import type { SessionState } from "../../kernel/index.ts";
import {
  createTurnGate,
  foreignTool,
  type Ground,
  groundOf,
  judgeWish,
  type LoadedEvent,
  type UnattendedPolicy,
} from "../../turns/index.ts";
import { NAMES_ONLY, type RecordedRequest, recordedRequests } from "./recorded-requests.ts";

/** What a policy says to something that a session did. */
export interface JudgedCall {
  readonly eventId: string;
  readonly turnId: string;
  /** The tool call that it is part of; null: of none. */
  readonly callId: string | null;
  readonly title: string;
  readonly verb: string;
  readonly resource: string;
  readonly rules: readonly string[];
  readonly was: RecordedRequest["was"];
}

export interface JudgedCalls {
  readonly judged: number;
  readonly refused: readonly JudgedCall[];
  readonly asked: readonly JudgedCall[];
}

/** How tools are decided beside the policy: by agent and by driver, as of now. */
export interface ToolRules {
  readonly toolPolicy: (agent: string, tool: string) => Promise<ToolPolicy>;
  readonly namedPolicy: (agent: string, tool: string) => Promise<ToolPolicy | null>;
  readonly unattended: (adapter: string) => UnattendedPolicy;
  readonly home: string;
}

/** Asks the gate about everything that is recorded, with another policy. Nothing is recorded and no file is looked at. */
export async function judgeRequests(
  state: SessionState,
  events: readonly LoadedEvent[],
  policy: Policy,
  tools: ToolRules,
): Promise<JudgedCalls> {
  const { spec } = state;
  if (spec === null) return { judged: 0, refused: [], asked: [] };
  const recorded = recordedWishes(events);
  const judge = createJudge(state, { ...tools, ground: groundFor(state, tools.home), policy });
  const reported = new Set<string>();
  const refused: JudgedCall[] = [];
  const asked: JudgedCall[] = [];
  let judged = 0;
  for (const request of recordedRequests(events, spec.cwd)) {
    const { verdict, rules, verb, resource } = await judge(request);
    const { event, turnId, callId, title, about } = request;
    const key = keyOf({ turnId, verb, resource });
    // The call that the agent reported was judged already.
    if (about.kind === "wish" && about.isGates && reported.has(key)) continue;
    reported.add(key);
    judged += 1;
    if (verdict === "allow") continue;
    const was = recorded.get(key) ?? request.was;
    const call = {
      eventId: event.id,
      turnId,
      callId,
      title,
      verb,
      resource: resource.slice(0, SHOWN_CHARS),
      rules,
      was,
    };
    (verdict === "deny" ? refused : asked).push(call);
  }
  return { judged, refused, asked };
}

const SHOWN_CHARS = 500;

interface JudgeParts extends ToolRules {
  readonly ground: Ground;
  readonly policy: Policy;
}

type Judged = Verdict & { readonly verb: string; readonly resource: string };

function createJudge(state: SessionState, parts: JudgeParts): (request: RecordedRequest) => Promise<Judged> {
  const gate = createTurnGate({ sessionId: state.id, policy: () => parts.policy });
  const { agent = "", adapter = "" } = state.spec ?? {};
  const own = async (verb: string, resource: string): Promise<Judged> => {
    const policy = await parts.toolPolicy(agent, verb.slice("tool.".length));
    const tool = { policy, granted: state.grants.includes(verb) };
    return { ...gate.decide({ verb, resource, tool }), verb, resource };
  };
  return async ({ about }) => {
    if (about.kind === "wish") {
      const tool = foreignTool(await parts.namedPolicy(agent, about.wish.tool), parts.unattended(adapter));
      return judgeWish(gate, about.wish, tool, parts.ground);
    }
    if (about.kind === "own") return own(about.verb, about.resource);
    // A search sees many files at once, so it cannot be judged file by file.
    if (gate.restricts(READ, null))
      return { verdict: "deny", rules: ["reading_is_restricted"], verb: READ, resource: ALL };
    return own(READ, ALL);
  };
}

const READ = "tool.read";
const ALL = "path/.";

function groundFor({ spec, widened = [] }: SessionState, home: string): Ground {
  if (spec === null) throw new Error("a session without a spec has no ground");
  return groundOf(spec, { home, files: NAMES_ONLY, widened });
}

/** What the gate said to a foreign agent then, by turn, verb and resource. */
function recordedWishes(events: readonly LoadedEvent[]): ReadonlyMap<string, RecordedRequest["was"]> {
  return new Map(
    events.flatMap(({ fact }): [string, RecordedRequest["was"]][] => {
      if (fact.type === "gate.denied@1") return [[keyOf(fact.data), "refused"]];
      if (fact.type === "gate.allowed@1") return [[keyOf(fact.data), "allowed"]];
      if (fact.type !== "approval.requested@1" || fact.data.action === null) return [];
      return [[keyOf({ ...fact.data.action, turnId: fact.data.turnId }), "asked"]];
    }),
  );
}

function keyOf({
  turnId,
  verb,
  resource,
}: {
  readonly turnId: string | null;
  readonly verb: string;
  readonly resource: string;
}) {
  return `${turnId} ${verb} ${resource}`;
}
