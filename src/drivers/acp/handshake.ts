import { RequestError } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { DriverError } from "../driver.ts";
import type { StepTimes } from "./step-times.ts";

/** What an agent said about itself. */
export interface AgentInfo {
  readonly name: string;
  readonly protocol: number;
  readonly loads: boolean;
  readonly resumes: boolean;
  readonly forks: boolean;
  readonly closes: boolean;
  readonly images: boolean;
  readonly embeds: boolean;
  readonly mcpHttp: boolean;
  readonly authMethods: readonly { readonly id: string; readonly name: string; readonly description: string }[];
}

const PROTOCOL = 1;
const OTHER_ERROR = -32_603;

/**
 * Files and terminals are not offered: whoever obeys such requests acts for the agent outside of the agent's own walls.
 * An agent does that work itself, where it can be held.
 */
const CLIENT_CAPABILITIES = {
  fs: { readTextFile: false, writeTextFile: false },
  terminal: false,
  elicitation: { form: {}, url: {} },
  session: { notices: {}, configOptions: { boolean: {} } },
};

export async function initialized(
  agent: {
    readonly request: (method: string, params: object, timeMaxMs: number) => Promise<unknown>;
    readonly printed: { readonly tailText: () => string };
  },
  options: { readonly slug: string; readonly times: StepTimes; readonly version: string },
): Promise<AgentInfo> {
  const { slug, times, version } = options;
  const hello = {
    protocolVersion: PROTOCOL,
    clientCapabilities: CLIENT_CAPABILITIES,
    clientInfo: { name: "nomos", title: "Nomos", version },
  };
  const answer = await agent.request("initialize", hello, times.initializeMs).catch((thrown: unknown) => {
    if (!(thrown instanceof RequestError)) throw thrown;
    const why = thrown.code === OTHER_ERROR ? thrown.message : `${thrown.message} (${thrown.code})`;
    throw new DriverError("not_acp", `${slug} refused to introduce itself: ${why}${agent.printed.tailText()}`);
  });
  const parsed = Initialized.safeParse(answer);
  if (!parsed.success)
    throw new DriverError("not_acp", `${slug} introduced itself in a way that is not ACP${agent.printed.tailText()}`);
  const { protocolVersion, agentCapabilities: can, agentInfo, authMethods } = parsed.data;
  if (protocolVersion !== PROTOCOL)
    throw new DriverError("agent_version", `${slug} speaks version ${protocolVersion} of ACP, Nomos ${PROTOCOL}`, {
      spoken: protocolVersion,
    });
  const sessions = can?.sessionCapabilities;
  return {
    name: agentInfo == null ? slug : `${agentInfo.name} ${agentInfo.version ?? ""}`.trim().slice(0, NAME_CHARS),
    protocol: protocolVersion,
    loads: can?.loadSession === true,
    resumes: sessions?.resume != null,
    forks: sessions?.fork != null,
    closes: sessions?.close != null,
    images: can?.promptCapabilities?.image === true,
    embeds: can?.promptCapabilities?.embeddedContext === true,
    mcpHttp: can?.mcpCapabilities?.http === true,
    authMethods: (authMethods ?? []).slice(0, AUTH_METHODS_MAX).map(({ id, name, description }) => ({
      id,
      name: name ?? id,
      description: (description ?? "").slice(0, NAME_CHARS),
    })),
  };
}

const NAME_CHARS = 200;
const AUTH_METHODS_MAX = 20;

/** Loose on purpose: agents of many ages and makers answer, and what is not used need not be right. */
const Initialized = z.object({
  protocolVersion: z.number(),
  agentInfo: z.object({ name: z.string(), version: z.string().nullish() }).nullish().catch(null),
  agentCapabilities: z
    .object({
      loadSession: z.boolean().nullish().catch(null),
      promptCapabilities: z
        .object({ image: z.boolean().nullish().catch(null), embeddedContext: z.boolean().nullish().catch(null) })
        .nullish()
        .catch(null),
      mcpCapabilities: z
        .object({ http: z.boolean().nullish().catch(null) })
        .nullish()
        .catch(null),
      sessionCapabilities: z
        .object({ resume: z.unknown(), fork: z.unknown(), close: z.unknown() })
        .partial()
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
  authMethods: z
    .array(z.object({ id: z.string(), name: z.string().nullish(), description: z.string().nullish() }))
    .nullish()
    .catch(null),
});
