import type { Finding, LandingOrder } from "../../domains/index.ts";
import type { CapturedWork, LandingRepository } from "../../host/index.ts";
import type { SessionState } from "../../kernel/index.ts";
import { faultFinding } from "./gate/judge-work.ts";
import type { MadeCommits } from "./judge.ts";
import type { LandingDeps } from "./landing-deps.ts";
import { landingMessage } from "./landing-message.ts";

/** A landing with what its commits are made of. */
export interface Work {
  readonly order: LandingOrder;
  /** The id of its `landing.queued@1`; null in a dry run. */
  readonly eventId: string | null;
  readonly captured: CapturedWork;
  readonly state: SessionState;
}

export type Judgement = { readonly made: MadeCommits } | { readonly findings: readonly Finding[] };

export interface MakeWish {
  /** Instead of the order's, or of the session's own words. */
  readonly message?: string;
  /** What is found does not refuse it yet, so no person is asked. */
  readonly mayWait?: boolean;
}

/** Makes a landing's commits on `onto`, and asks the judge. */
export async function makeAndJudge(
  { store, judge }: Pick<LandingDeps, "store" | "judge">,
  opened: LandingRepository,
  work: Work,
  onto: string,
  signal: AbortSignal,
  { message: given, mayWait = false }: MakeWish = {},
): Promise<Judgement> {
  const { order, captured, state, eventId } = work;
  // Objects that git does not accept are not there to make anything of.
  if (captured.fault !== null) return { findings: [faultFinding(captured.fault)] };
  const name = state.spec?.name ?? order.sessionId;
  const trailers = trailersOf(order, eventId);
  const words = given ?? (await landingMessage(store, order, state, opened.settings.template));
  const message = await opened.spell(words, trailers);
  const { head, tree } = order.captured;
  const made = await opened.make({
    how: order.how,
    tip: onto,
    head,
    tree,
    message,
    trailers,
    isTrial: eventId === null,
  });
  if (!("commit" in made)) return { findings: unmade(made, order, { name, hasBase: captured.userBase !== null }) };
  const judged = { opened, order, captured, tip: onto, made, state };
  const findings = await judge.judge(judged, signal);
  if (findings.length === 0) return { made };
  return { findings: eventId === null || mayWait ? findings : await judge.amend(judged, findings) };
}

function trailersOf({ sessionId, turnId }: LandingOrder, eventId: string | null): readonly string[] {
  return [
    `Nomos-Session: ${sessionId}`,
    ...(turnId === null ? [] : [`Nomos-Turn: ${turnId}`]),
    ...(eventId === null ? [] : [`Nomos-Event: ${eventId}`]),
  ];
}

type Unmade = Exclude<Awaited<ReturnType<LandingRepository["make"]>>, MadeCommits>;

function unmade(
  made: Unmade,
  { into }: LandingOrder,
  { name, hasBase }: { readonly name: string; readonly hasBase: boolean },
): readonly Finding[] {
  if ("conflicts" in made)
    return made.conflicts.map((path) => ({
      rule: "conflict",
      path,
      message: `${path} was changed here and on ${into} in the same place.`,
      remedy: `Mend it in the session's worktree (\`nomos worktree open ${name}\`), then run \`nomos land ${name}\`.`,
    }));
  if ("unrelated" in made)
    return [
      {
        rule: "base",
        message: `The session's work and ${into} have no commit in common.`,
        remedy: hasBase
          ? `Name the branch that the session began with: \`nomos land ${name} --into <branch>\`.`
          : `It began before the first commit. Take it over by hand: \`nomos worktree apply ${name}\`.`,
      },
    ];
  return [
    {
      rule: "base",
      message: `${into} already has everything that the session changed.`,
      remedy: `Run \`nomos diff ${name}\` to see what the session changed.`,
    },
  ];
}
