import { NomosError } from "../../contract/index.ts";

/** Names under which a browser may reach a daemon that listens on loopback only; anything else is somebody's rebinding. */
export function checkHost(host: string | undefined, port: number): void {
  const allowed = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (host === undefined || !allowed.includes(host.toLowerCase()))
    throw new NomosError("forbidden_host", { host: host ?? null });
}

/** A page of another site must not speak to the daemon, whatever token it got hold of. */
export function checkOrigin(origin: string | undefined, port: number): void {
  if (origin === undefined) return;
  const allowed = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `http://[::1]:${port}`];
  if (!allowed.includes(origin.toLowerCase())) throw new NomosError("forbidden_origin", { origin });
}
