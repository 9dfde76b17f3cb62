import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { type Copilot, createCopilot, LoginError } from "../../engine/index.ts";
import { readSmallFile, writeFileAtomic } from "../../host/index.ts";
import { ownEntry } from "../../kernel/index.ts";
import type { ConfigService } from "../config/settings.ts";

/** Providers that one logs in to, instead of having a key. */
export interface ModelLogins {
  /** The current token of such a provider; null for any other. */
  readonly token: (provider: string) => ((signal: AbortSignal) => Promise<string>) | null;
  /** Whether somebody has logged in; false for a provider without a login. */
  readonly isLoggedIn: (provider: string) => Promise<boolean>;
  /** Says what the person has to do. The login goes on in the background until they did, or the code expires. */
  readonly begin: (provider: string) => Promise<LoginCode>;
  readonly stop: () => void;
}

export interface LoginCode {
  readonly page: string;
  readonly code: string;
  readonly expiresInS: number;
}

export interface LoginDeps {
  readonly config: ConfigService;
  readonly fileOf: (provider: string) => string;
  readonly log: (message: string, details: object) => void;
}

const FILE_BYTES_MAX = 65_536;
const Login = z.object({
  oauthToken: z.string(),
  token: z.object({ value: z.string(), expiresAtMs: z.number(), apiUrl: z.string().nullable() }).nullable(),
});

export function createLogins({ config, fileOf, log }: LoginDeps): ModelLogins {
  const stopping = new AbortController();
  const open = new Map<string, { readonly about: string; readonly copilot: Copilot }>();

  const copilotOf = (provider: string): Copilot | null => {
    const settings = ownEntry(config.show().models?.providers ?? {}, provider);
    if (settings?.api !== "copilot" || settings.key !== undefined) return null;
    const { clientId, loginUrl, apiUrl } = settings.options ?? {};
    const about = JSON.stringify([clientId, loginUrl, apiUrl]);
    const known = open.get(provider);
    if (known?.about === about) return known.copilot;
    if (typeof clientId !== "string" || clientId === "") return null;
    const copilot = createCopilot({
      clientId,
      store: loginStore(fileOf(provider)),
      ...(typeof loginUrl === "string" ? { loginUrl } : {}),
      ...(typeof apiUrl === "string" ? { apiUrl } : {}),
    });
    open.set(provider, { about, copilot });
    return copilot;
  };

  return {
    token: (provider) => copilotOf(provider)?.token ?? null,
    isLoggedIn: async (provider) => (await copilotOf(provider)?.isLoggedIn()) ?? false,
    begin: async (provider) => {
      const copilot = copilotOf(provider);
      if (copilot === null) throw new NomosError("login_unsupported", { provider });
      const told = Promise.withResolvers<LoginCode>();
      copilot
        .login(({ page, userCode, expiresInS }) => told.resolve({ page, code: userCode, expiresInS }), stopping.signal)
        .then(
          () => log("logged in to a model provider", { provider }),
          (thrown: unknown) => {
            told.reject(loginFailed(provider, thrown));
            log("a login to a model provider failed", { provider, reason: String(thrown) });
          },
        );
      return told.promise;
    },
    stop: () => stopping.abort(),
  };
}

function loginFailed(provider: string, thrown: unknown): unknown {
  return thrown instanceof LoginError
    ? new NomosError("login_failed", { provider }, { message: thrown.message })
    : thrown;
}

/** Both tokens are secrets: the file is the person's alone. */
function loginStore(file: string): Parameters<typeof createCopilot>[0]["store"] {
  return {
    load: async () => {
      const text = await readSmallFile(file, FILE_BYTES_MAX);
      const parsed = text === null ? null : Login.safeParse(JSON.parse(text));
      return parsed?.success === true ? parsed.data : null;
    },
    save: async (login) => {
      if (login === null) return rm(file, { force: true });
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFileAtomic(file, JSON.stringify(login), { mode: 0o600 });
    },
  };
}
