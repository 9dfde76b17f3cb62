import { NomosError } from "../../contract/index.ts";

/** Where a daemon is reached: by its port on loopback, and by the public address of a reverse proxy if there is one. */
export interface Reached {
  readonly port: number;
  /** An origin. */
  readonly publicUrl: string | null;
}

/** Any other host name is a DNS rebinding attack. */
export function checkHost(host: string | undefined, { port, publicUrl }: Reached): void {
  const allowed = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (host !== undefined && allowed.includes(host.toLowerCase())) return;
  if (!isPublic(host, publicUrl)) throw new NomosError("forbidden_host", { host: host ?? null });
}

/** Pages of other sites may not call the daemon, even with a valid token. */
export function checkOrigin(origin: string | undefined, { port, publicUrl }: Reached): void {
  if (origin === undefined) return;
  const allowed = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `http://[::1]:${port}`, publicUrl];
  if (!allowed.includes(origin.toLowerCase())) throw new NomosError("forbidden_origin", { origin });
}

/** Whether a request came by the public address. Only the Host header tells: `X-Forwarded-*` can be sent by anybody. */
export function isPublic(host: string | undefined, publicUrl: string | null): boolean {
  return publicUrl !== null && host !== undefined && host.toLowerCase() === new URL(publicUrl).host;
}
