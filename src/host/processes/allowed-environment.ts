import { delimiter, dirname } from "node:path";

/**
 * The variables of the daemon's environment (`source`) that an agent inherits, plus `extra`. An allow-list: secrets
 * exported in the daemon's shell stay there. PATH starts with the directory of the Node that runs the product, so that
 * agents find one that is new enough.
 */
export function allowedEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && isAllowed(name)) allowed[name] = value;
  }
  const all = { ...allowed, ...extra };
  return { ...all, PATH: withNodeFirst(all["PATH"] ?? DEFAULT_PATH) };
}

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

const ALLOWED_NAMES: ReadonlySet<string> = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TZ", "TMPDIR", "SSH_AUTH_SOCK"],
  // Certificates and npm settings: without them nothing works behind a company's proxy.
  ...["NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE"],
  ...["REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO", "NIX_SSL_CERT_FILE"],
  ...["npm_config_registry", "npm_config_cafile"].flatMap((name) => [name, name.toUpperCase()]),
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
]);

function isAllowed(name: string): boolean {
  return ALLOWED_NAMES.has(name) || name.startsWith("LC_") || name.startsWith("XDG_");
}

function withNodeFirst(path: string): string {
  const first = dirname(process.execPath);
  return [first, ...path.split(delimiter).filter((entry) => entry !== first)].join(delimiter);
}
