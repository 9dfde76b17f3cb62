import type { Client } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { spellCount, spellDollars } from "../print/spell.ts";
import { bold, dim } from "../screen/styled.ts";
import { OWN_DRIVER, type SlashCommands } from "./slash-context.ts";

/** What the conversation takes and costs, and what waits. */
export const COST_COMMANDS: SlashCommands = {
  cost: {
    usage: "/cost",
    summary: "show what the session has cost, by turn",
    run: async ({ client, id, print }) => {
      const [{ spent }, { turns }, bySteps] = await Promise.all([
        client.call("session.show", { id }),
        client.call("session.turns", { id, limit: TURNS_MAX }),
        costOfSteps(client, id),
      ]);
      if (spent === undefined) return print(["The agent has told no usage yet."]);
      print([
        bold(
          spent.costUsd === null
            ? "The model has no price, so there is no cost."
            : `${spellDollars(spent.costUsd)} in all`,
        ),
        `  ${spellCount(spent.input)} tokens in, ${spellCount(spent.output)} out, ${spellCount(spent.cacheRead)} from the cache`,
        ...turns
          .map(({ turn, turnId, prompt, spent: own }) => ({ turn, prompt, usd: own?.costUsd ?? bySteps.get(turnId) }))
          .filter(({ usd }) => usd !== undefined)
          .slice(-TURNS_SHOWN)
          .map(({ turn, prompt, usd }) =>
            dim(`  turn ${String(turn).padEnd(4)} ${priced(usd ?? null).padEnd(10)} ${prompt ?? ""}`),
          ),
      ]);
    },
  },
  context: {
    usage: "/context",
    summary: "show what the model is sent, and how full its window is",
    run: async ({ client, id, print, session }) => {
      if (session.adapterSlug !== OWN_DRIVER)
        return print([`What ${session.agent} sends to its model is its own affair: only the agent nomos shows it.`]);
      const { parts, tokens, window, model } = await client.call("session.context", { id });
      print([
        bold(`${model}: ${spellCount(tokens)} of ${spellCount(window)} tokens (${percent(tokens, window)})`),
        ...parts.map(
          ({ name, source, tokens: own }) => `  ${spellCount(own).padStart(6)}  ${name.padEnd(16)} ${source}`,
        ),
      ]);
    },
  },
  compact: {
    usage: "/compact [FOCUS]",
    summary: "replace the older talk by a summary that keeps the focus above all",
    run: async ({ client, id, print }, focus) => {
      await client.call("session.compact", { id, ...(focus === "" ? {} : { focus }) });
      print(["Compacted. /context shows what is left."]);
    },
  },
  queue: {
    usage: "/queue [PROMPT]",
    summary: "show the prompts that wait, or add one that does not steer the turn",
    run: async ({ client, id, print, queue }, prompt) => {
      if (prompt !== "") return queue(prompt);
      const { queued } = await client.call("session.show", { id });
      print([queued === 0 ? "No prompt waits." : `${queued} ${queued === 1 ? "prompt waits" : "prompts wait"}.`]);
    },
  },
};

const TURNS_MAX = 1000;
const TURNS_SHOWN = 10;
const STEPS_MAX = 500;

/** The engine tells the cost of each step. Turn -> dollars, of the last steps. */
async function costOfSteps(client: Client, id: string): Promise<ReadonlyMap<string, number>> {
  const { events } = await client.call("session.events", {
    ...{ id, order: "desc", limit: STEPS_MAX, types: ["step.ended@1"] },
  });
  const sums = new Map<string, number>();
  for (const { data } of events) {
    const cost = memberOf(data, "costMicroUsd");
    const turnId = String(memberOf(data, "turnId"));
    if (typeof cost === "number") sums.set(turnId, (sums.get(turnId) ?? 0) + cost / 1_000_000);
  }
  return sums;
}

function priced(costUsd: number | null): string {
  return costUsd === null ? "no price" : spellDollars(costUsd);
}

function percent(tokens: number, window: number): string {
  return window > 0 ? `${Math.round((tokens / window) * 100)}%` : "?";
}
