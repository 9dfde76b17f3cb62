import type { Client, OutputOf } from "../../client/index.ts";
import { chooseAgent, DEMO } from "../follow-turn.ts";
import type { StartOptions } from "./start-options.ts";

/** Who runs a new session, and whether that is only because nothing better is there. */
export interface ChosenStart {
  readonly agent: OutputOf<"agent.show">;
  readonly options: StartOptions;
  /** Neither a model nor an agent is configured: what runs only follows the lines it is given. */
  readonly isDemo: boolean;
}

const SCRIPT = "script";
const OWN = "nomos";
const DEMO_MODEL = "demo/script";
const IS_FILE = /^(?:\.{0,2}\/|.*\.[cm]?[jt]s$)/;

/** `-a ./my.ts` is the script driver with that file. */
export async function chooseStart(client: Client, options: StartOptions): Promise<ChosenStart> {
  const { agent: named } = options;
  if (named !== undefined && IS_FILE.test(named) && options.file === undefined) {
    const agent = await client.call("agent.show", { slug: SCRIPT });
    return { agent, options: { ...options, agent: SCRIPT, file: named }, isDemo: false };
  }
  const agent = await chooseAgent(client, named);
  return { agent, options, isDemo: named === undefined && agent.slug === DEMO };
}

/** For a chat: without any model the own engine plays the lines that are typed, so that everything can be tried. */
export async function chooseChat(client: Client, options: StartOptions): Promise<ChosenStart> {
  const chosen = await chooseStart(client, options);
  const isOwn = chosen.agent.driver === OWN && options.model === undefined;
  if (!chosen.isDemo && !isOwn) return chosen;
  if (isOwn && (await client.call("model.list", { limit: 1 })).default !== null) return chosen;
  const agent = chosen.isDemo ? await client.call("agent.show", { slug: OWN }) : chosen.agent;
  return { agent, options: { ...options, model: DEMO_MODEL }, isDemo: true };
}
