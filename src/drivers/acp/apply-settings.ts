import { RequestError } from "@agentclientprotocol/sdk";
import type { DriverSettings } from "../../kernel/index.ts";
import { DriverError } from "../../turns/index.ts";
import type { AgentProcess } from "./agent-process.ts";
import type { Offer } from "./offer.ts";
import type { StepTimes } from "./step-times.ts";

/**
 * Applies the chosen settings to the native session. A setting that is not offered is refused by name, before any
 * prompt.
 */
export async function applySettings(
  agent: AgentProcess,
  nativeId: string,
  offer: Offer,
  wanted: DriverSettings,
  times: StepTimes,
): Promise<void> {
  const set = async (method: string, params: object): Promise<void> => {
    try {
      offer.hearAnswer(await agent.request(method, { sessionId: nativeId, ...params }, times.setMs));
    } catch (thrown) {
      if (!(thrown instanceof RequestError)) throw thrown;
      throw new DriverError("unknown_option", `the agent refused the setting: ${thrown.message}`, { method });
    }
  };
  const setOption = async (id: string, value: string | boolean): Promise<void> => {
    const option = offer.now().options.find((one) => one.id === id);
    if (option === undefined)
      throw new DriverError("unknown_option", `the agent has no option ${id}`, {
        options: offer.now().options.map((one) => one.id),
      });
    const asSent = typeof option.current === "boolean" && typeof value === "string" ? value === "true" : value;
    if (option.current === asSent) return;
    if (option.values.length > 0 && !option.values.includes(String(asSent)))
      throw new DriverError("unknown_option", `${id} cannot be ${String(value)}`, { values: [...option.values] });
    const typed = typeof asSent === "boolean" ? { type: "boolean" } : agent.info.protocol === 2 ? { type: "id" } : {};
    await set("session/set_config_option", { configId: id, value: asSent, ...typed });
  };

  if (wanted.model !== null) await setOption(...modelOption(offer, wanted.model));
  if (wanted.mode !== null) await setMode(wanted.mode);
  for (const [id, value] of Object.entries(wanted.options)) await setOption(id, value);

  async function setMode(mode: string): Promise<void> {
    const { mode: current, modes, options } = offer.now();
    if (current === mode) return;
    if (modes.some(({ id }) => id === mode)) {
      await set("session/set_mode", { modeId: mode });
      offer.hearUpdate("current_mode_update", { currentModeId: mode });
      return;
    }
    const option = options.find(({ category, values }) => category === "mode" && values.includes(mode));
    if (option === undefined)
      throw new DriverError("unknown_mode", `the agent has no mode ${mode}`, { modes: modes.map(({ id }) => id) });
    await setOption(option.id, mode);
  }
}

function modelOption(offer: Offer, model: string): [string, string] {
  const option = offer.now().options.find(({ category, id }) => category === "model" || id === "model");
  const known = option?.values ?? [];
  if (option === undefined || !known.includes(model))
    throw new DriverError("unknown_model", `the agent does not offer the model ${model}`, { models: [...known] });
  return [option.id, model];
}
