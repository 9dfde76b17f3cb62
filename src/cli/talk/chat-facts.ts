import type { Client, Session, StreamItem } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { spellCount, spellDollars } from "../print/spell.ts";

/** What a person wants to know all the time: agent, model, cost, context, time to the first token, what waits. */
export interface ChatFacts {
  readonly hear: (item: StreamItem) => void;
  /** As much as fits; the less important facts are left out first. */
  readonly line: (columns: number) => string;
}

/** Asks once for what was before the part of the log that is shown; `onChange` is called when the answer has come. */
export function createChatFacts(client: Client, session: Session, onChange: () => void): ChatFacts {
  const { id, agent } = session;
  let model = "";
  let spentUsd = session.spent?.costUsd ?? null;
  /** Of steps that the sum of the session does not have yet. */
  let sinceUsd = 0;
  let context: { readonly used: number; readonly max: number | null } | null = null;
  let firstMs: number | null = null;
  let startedMs: number | null = null;
  let state = stateOf(session);

  const learn = (type: string, data: unknown): void => {
    const number = (key: string): number | null => numberIn(data, key);
    if (type === "driver.configured@1") model = textIn(data, "model") ?? model;
    if (type === "step.started@1" && textIn(data, "purpose") === "answer") model = textIn(data, "model") ?? model;
    if (type === "step.ended@1") {
      firstMs = number("firstTokenMs") ?? firstMs;
      sinceUsd += (number("costMicroUsd") ?? 0) / 1_000_000;
    }
    if (type === "usage.reported@1") {
      const used = number("contextTokens");
      if (used !== null) context = { used, max: number("contextMax") };
    }
  };
  const askSpent = async (): Promise<void> => {
    const { spent } = await client.call("session.show", { id });
    spentUsd = spent?.costUsd ?? null;
    sinceUsd = 0;
    onChange();
  };
  const askPast = async (): Promise<void> => {
    const types = ["step.ended@1", "usage.reported@1"];
    const [{ offer, chosen }, { events }] = await Promise.all([
      client.call("session.offer", { id }),
      client.call("session.events", { id, order: "desc", limit: 2, types }),
    ]);
    const offered = offer?.options.find(({ category, id: option }) => category === "model" || option === "model");
    model ||= chosen?.model ?? String(offered?.current ?? "");
    if (context === null && firstMs === null) for (const { type, data } of events) learn(type, data);
    await askSpent();
  };
  // Facts for a screen: without an answer they are left out.
  askPast().catch(() => undefined);
  return {
    hear: (item) => {
      if (item.event === "status") state = stateOf(item.data);
      if (item.event === "delta" && item.data.source === "message" && startedMs !== null) {
        firstMs = Date.now() - startedMs;
        startedMs = null;
      }
      if (item.event !== "event") return;
      const { type, data, at } = item.data;
      if (type === "turn.started@1") startedMs = Date.now() - Date.parse(at) < LIVE_MS ? Date.parse(at) : null;
      if (type === "turn.ended@1") {
        startedMs = null;
        askSpent().catch(() => undefined);
      }
      learn(type, data);
    },
    line: (columns) => {
      const cost = spentUsd === null && sinceUsd === 0 ? "" : spellDollars((spentUsd ?? 0) + sinceUsd);
      const facts: readonly (readonly [rank: number, text: string])[] = [
        [1, `${agent}${model === "" ? "" : ` ${model}`}`],
        [4, cost],
        [3, context === null ? "" : contextText(context)],
        [
          5,
          firstMs === null
            ? ""
            : `first token ${firstMs < 1000 ? `${Math.round(firstMs)} ms` : `${(firstMs / 1000).toFixed(1)} s`}`,
        ],
        [2, state],
      ];
      for (let most = facts.length; most > 1; most -= 1) {
        const text = facts
          .filter(([rank, fact]) => rank <= most && fact !== "")
          .map(([, fact]) => fact)
          .join(" · ");
        if (text.length <= columns) return text;
      }
      return state;
    },
  };
}

/** An older start is history: its first token was not seen. */
const LIVE_MS = 5_000;

function stateOf({ state, waitingFor, queued }: Pick<Session, "state" | "waitingFor" | "queued">): string {
  const doing = waitingFor === "approval" ? "needs you" : waitingFor === "quota" ? "waits for its quota" : state;
  return queued === 0 ? doing : `${doing}, ${queued} queued`;
}

function contextText({ used, max }: { readonly used: number; readonly max: number | null }): string {
  if (max === null || max <= 0) return `${spellCount(used)} tokens`;
  return `${spellCount(used)} of ${spellCount(max)} (${Math.round((used / max) * 100)}%)`;
}

function numberIn(data: unknown, key: string): number | null {
  const value = memberOf(data, key);
  return typeof value === "number" ? value : null;
}

function textIn(data: unknown, key: string): string | null {
  const value = memberOf(data, key);
  return typeof value === "string" && value !== "" ? value : null;
}
