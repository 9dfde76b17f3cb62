import { NomosError } from "../../contract/index.ts";

/** Host names under which a browser may reach a daemon on loopback; any other name is a DNS rebinding attack. */
export function checkHost(host: string | undefined, port: number): void {
  const allowed = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (host === undefined || !allowed.includes(host.toLowerCase()))
    throw new NomosError("forbidden_host", { host: host ?? null });
}

/** Pages of other sites may not call the daemon, even with a valid token. */
export function checkOrigin(origin: string | undefined, port: number): void {
  if (origin === undefined) return;
  const allowed = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `http://[::1]:${port}`];
  if (!allowed.includes(origin.toLowerCase())) throw new NomosError("forbidden_origin", { origin });
}
