import { NomosError } from "../../contract/index.ts";
import { DEFAULT_CONFIG, type Governed, LAW_DIR, type LawConfig, readConfig } from "../../governance/index.ts";

/** `.nomos/config.yaml` of the branch that holds the law; the defaults where there is none. Refuses a newer or a wrong one. */
export async function lawConfig(governed: Pick<Governed, "read">): Promise<LawConfig> {
  const path = `${LAW_DIR}/config.yaml`;
  const text = await governed.read(path);
  if (text === null) return DEFAULT_CONFIG;
  const { config, problems } = readConfig(text);
  if (config !== null) return config;
  const newer = problems.find(({ isNewer }) => isNewer === true);
  if (newer !== undefined) throw new NomosError("governance_newer", { path, reason: newer.message });
  const told = problems.filter(({ level }) => level === "error").map(({ key, message }) => ({ key, message }));
  throw new NomosError("config_invalid", { path, problems: told });
}
