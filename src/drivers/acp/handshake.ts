import { RequestError } from "@agentclientprotocol/sdk";
import * as z from "zod";
import { DriverError } from "../../turns/index.ts";
import { agentSaid } from "./agent-said.ts";
import type { StepTimes } from "./step-times.ts";

/** What an agent said about itself. */
export interface AgentInfo {
  readonly name: string;
  readonly protocol: AcpVersion;
  readonly loads: boolean;
  readonly resumes: boolean;
  readonly forks: boolean;
  readonly closes: boolean;
  readonly images: boolean;
  readonly embeds: boolean;
  readonly mcpHttp: boolean;
  readonly authMethods: readonly { readonly id: string; readonly name: string; readonly description: string }[];
}

/** Version 2 is a draft: used only with an agent whose manifest asks for it and that answers it. */
export type AcpVersion = 1 | 2;

/**
 * File and terminal requests are not offered: carrying them out would act for the agent outside its own walls. An agent
 * does that work itself, where it can be confined.
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
  options: {
    readonly slug: string;
    readonly times: StepTimes;
    readonly version: string;
    readonly acpVersion: AcpVersion;
  },
): Promise<AgentInfo> {
  const { slug, times, version, acpVersion } = options;
  const clientInfo = { name: "nomos", title: "Nomos", version };
  const first = { protocolVersion: acpVersion, clientCapabilities: CLIENT_CAPABILITIES, clientInfo };
  // A version 1 agent ignores the names of version 2, and answers 1.
  const second = { info: clientInfo, capabilities: { elicitation: CLIENT_CAPABILITIES.elicitation } };
  const hello = acpVersion === 1 ? first : { ...first, ...second };
  const answer = await agent.request("initialize", hello, times.initializeMs).catch((thrown: unknown) => {
    if (!(thrown instanceof RequestError)) throw thrown;
    const why = agentSaid(thrown);
    throw new DriverError("not_acp", `${slug} refused to introduce itself: ${why}${agent.printed.tailText()}`);
  });
  const parsed = Initialized.safeParse(answer);
  if (!parsed.success)
    throw new DriverError("not_acp", `${slug} introduced itself in a way that is not ACP${agent.printed.tailText()}`);
  const { protocolVersion, agentCapabilities: can, authMethods } = parsed.data;
  const agentInfo = parsed.data.agentInfo ?? parsed.data.info;
  if (protocolVersion !== 1 && (protocolVersion !== 2 || acpVersion !== 2))
    throw new DriverError(
      "agent_version",
      `${slug} speaks version ${protocolVersion} of ACP, Nomos asked for ${acpVersion}`,
      {
        spoken: protocolVersion,
      },
    );
  if (protocolVersion === 2) return secondVersion(parsed.data, slug);
  const sessions = can?.sessionCapabilities;
  return {
    name: agentInfo == null ? slug : `${agentInfo.name} ${agentInfo.version ?? ""}`.trim().slice(0, NAME_CHARS),
    protocol: 1,
    loads: can?.loadSession === true,
    resumes: sessions?.resume != null,
    forks: sessions?.fork != null,
    closes: sessions?.close != null,
    images: can?.promptCapabilities?.image === true,
    embeds: can?.promptCapabilities?.embeddedContext === true,
    mcpHttp: can?.mcpCapabilities?.http === true,
    authMethods: methodsOf(authMethods ?? []),
  };
}

/** In version 2 resume and close are mandatory, and loading is a form of resume. */
function secondVersion({ info, capabilities, authMethods }: z.infer<typeof Initialized>, slug: string): AgentInfo {
  const session = capabilities?.session;
  return {
    name: info == null ? slug : `${info.name} ${info.version ?? ""}`.trim().slice(0, NAME_CHARS),
    protocol: 2,
    loads: false,
    resumes: true,
    forks: session?.fork != null,
    closes: true,
    images: session?.prompt?.image != null,
    embeds: session?.prompt?.embeddedContext != null,
    mcpHttp: session?.mcp?.http != null,
    authMethods: methodsOf(authMethods ?? []),
  };
}

function methodsOf(methods: NonNullable<z.infer<typeof Initialized>["authMethods"]>): AgentInfo["authMethods"] {
  return methods.slice(0, AUTH_METHODS_MAX).map(({ id, methodId, name, description }) => ({
    id: id ?? methodId ?? "",
    name: name ?? id ?? methodId ?? "",
    description: (description ?? "").slice(0, NAME_CHARS),
  }));
}

const NAME_CHARS = 200;
const AUTH_METHODS_MAX = 20;

/** Loose on purpose: agents of many versions answer, and unused fields need not be valid. */
const Info = z.object({ name: z.string(), version: z.string().nullish() }).nullish().catch(null);
const Initialized = z.object({
  protocolVersion: z.number(),
  agentInfo: Info,
  info: Info,
  capabilities: z
    .object({
      session: z
        .object({
          prompt: z.object({ image: z.unknown(), embeddedContext: z.unknown() }).partial().nullish(),
          mcp: z.object({ http: z.unknown() }).partial().nullish(),
          fork: z.unknown().optional(),
        })
        .nullish(),
    })
    .nullish()
    .catch(null),
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
    .array(
      z.object({
        id: z.string().optional(),
        methodId: z.string().optional(),
        name: z.string().nullish(),
        description: z.string().nullish(),
      }),
    )
    .nullish()
    .catch(null),
});
