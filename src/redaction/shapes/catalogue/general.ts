import { isJsonWebToken, isMachineMade, isPassword, looksRandom } from "../checks.ts";
import { assigned, key } from "../define.ts";
import type { Shape } from "../shape.ts";

const PEM_KINDS = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "ED25519 ", "ANY "];
const DATABASES = [
  "postgres",
  "postgresql",
  "mysql",
  "mariadb",
  "mongodb",
  "mongodb+srv",
  "redis",
  "rediss",
  "amqp",
  "amqps",
];

/** Keys and passwords of no vendor. */
export const GENERAL_SHAPES: readonly Shape[] = [
  key(
    "private-key",
    PEM_KINDS.map((kind) => `-----BEGIN ${kind}PRIVATE KEY-----<P:64-16000>`),
    looksRandom,
  ),
  key("pgp-private-key", "-----BEGIN PGP PRIVATE KEY BLOCK-----<P:64-32000>", looksRandom),
  key("putty-private-key", "Private-Lines: |<d:1-3><P:60-8000>", looksRandom),
  key("json-web-token", "eyJ<u:14-4000>.<u:10-8000>.<u:16-1400>", isJsonWebToken),
  key("json-web-encryption", "eyJ<u:14-4000>.<u:0-1400>.<u:16-64>.<u:10-8000>.<u:16-64>", isJsonWebToken),
  key("bearer-token", ["Bearer |<S:24-4000>", "bearer |<S:24-4000>"], isMachineMade),
  key("basic-login", ["Authorization: Basic |<B:16-400>", "authorization: Basic |<B:16-400>"], looksRandom),
  key(
    "database-password",
    DATABASES.map((scheme) => `${scheme}://<h:0-64>:|<p:8-128>@`),
    isPassword,
  ),
  key("url-password", ["https://<h:1-64>:|<p:8-128>@", "http://<h:1-64>:|<p:8-128>@"], isPassword),
  key(
    "url-token",
    ["https://|<u:32-80>@", "https://x-access-token:|<u:24-200>@", "https://oauth2:|<u:20-200>@"],
    isMachineMade,
  ),
  key("aspnet-password", ["Password=|<c:8-128>;", "password=|<c:8-128>;"], isPassword),
  assigned(
    "assigned-secret",
    ["client secret", "secret key", "access token", "auth token", "api token", "refresh token", "encryption key"]
      .concat(["private token", "api secret", "signing key", "signing secret", "webhook secret", "jwt secret"])
      .concat(["app secret", "session secret", "service token", "deploy token", "bot token", "master key"])
      .concat(["api key", "access key", "private key", "secret token", "password", "passwd"]),
    "<u:24-200>",
  ),
];
