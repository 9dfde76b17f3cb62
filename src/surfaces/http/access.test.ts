import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { Actor } from "../../domains/index.ts";
import { createAccess } from "./access.ts";
import type { AccessRequest } from "./access-request.ts";

const PORT = 4200;
const HOME = `127.0.0.1:${PORT}`;
const PUBLIC = "https://nomos.test";
const [COOKIE, PAGE, LINK] = ["c".repeat(48), `nmp_${"a".repeat(48)}`, `nml_${"b".repeat(48)}`];
const BROWSER: Actor = { principal: "token:1", capabilities: ["*"], sessionId: null };
const linkOf = (place: string): Actor => ({
  principal: `link:${place}:${"0".repeat(64)}`,
  capabilities: ["dashboard.enter"],
  sessionId: null,
});

function accessOf(secrets: Readonly<Record<string, Actor>>, isOwnUser = true) {
  const access = createAccess({
    reached: () => ({ port: PORT, publicUrl: PUBLIC }),
    ready: () => true,
    authenticate: async (secret) => secrets[secret] ?? null,
    isOwnUser: async () => isOwnUser,
  });
  const request: AccessRequest = {
    host: HOME,
    origin: undefined,
    authorization: undefined,
    cookie: undefined,
    connection: { theirPort: 50_000, ourPort: PORT },
    fromSession: null,
  };
  const login = async (bearer: string | null, more: Partial<AccessRequest> = {}) => {
    const authorization = bearer === null ? undefined : `Bearer ${bearer}`;
    return access.login({ ...request, authorization, ...more }).then(
      ({ principal }) => principal,
      ({ code }) => code,
    );
  };
  const guard = (more: Partial<AccessRequest>) => () => access.guard({ ...request, ...more });
  return { login, guard };
}

proves(
  "DB-2",
  "the halves of a sign-in are joined from the cookie of this port and the bearer, and from nothing else",
  async () => {
    const { login } = accessOf({ [`${COOKIE} ${PAGE}`]: BROWSER });
    const cookie = `nomos-${PORT}=${COOKIE}`;
    expect(await login(PAGE, { cookie })).toBe("token:1");
    expect(await login(PAGE, { cookie: `a=b; ${cookie}; c=d` })).toBe("token:1");
    expect(await login(PAGE)).toBe("signed_out");
    for (const other of [
      `nomos-4201=${COOKIE}`,
      `__Host-nomos-${PORT}=${COOKIE}`,
      `nomos-${PORT}=`,
      `xnomos-${PORT}=${COOKIE}`,
    ])
      expect([other, await login(PAGE, { cookie: other })]).toEqual([other, "signed_out"]);
    for (const whole of [`${COOKIE} ${PAGE}`, `${COOKIE}\t${PAGE}`, `${COOKIE}%20${PAGE}`, COOKIE])
      expect([whole, await login(whole, { cookie })]).toEqual([whole, "unauthorized"]);
    expect(await login(null, { cookie })).toBe("unauthorized");
  },
);

proves(
  "DB-7",
  "by the public address a sign-in has the cookie of that address, and not the one of loopback",
  async () => {
    const { login } = accessOf({ [`${COOKIE} ${PAGE}`]: BROWSER });
    const [secure, plain] = [`__Host-nomos-${PORT}=${COOKIE}`, `nomos-${PORT}=${COOKIE}`];
    expect(await login(PAGE, { host: "nomos.test", cookie: secure })).toBe("token:1");
    expect(await login(PAGE, { host: "nomos.test", cookie: plain })).toBe("signed_out");
    expect(await login(PAGE, { cookie: secure })).toBe("signed_out");
  },
);

proves(
  "DB-5",
  "another user of the machine has read a browser's link: it is refused, and a phone's comes by the proxy",
  async () => {
    const secrets = { [LINK]: linkOf("browser"), [`${LINK}c`]: linkOf("phone") };
    const [own, other] = [accessOf(secrets), accessOf(secrets, false)];
    expect(await own.login(LINK)).toMatch(/^link:browser:/);
    expect(await other.login(LINK)).toBe("link_invalid");
    expect(await own.login(LINK, { host: "nomos.test" })).toBe("link_invalid");
    expect(await other.login(LINK, { connection: null })).toMatch(/^link:browser:/);
    expect(await other.login(`${LINK}c`, { host: "nomos.test" })).toMatch(/^link:phone:/);
    expect(await own.login(LINK, { fromSession: "s" })).toBe("link_invalid");
  },
);

proves("DB-3", "loopback names and the public one are served, by their exact spelling", () => {
  const { guard } = accessOf({});
  for (const host of [HOME, `localhost:${PORT}`, `[::1]:${PORT}`, "nomos.test", "NOMOS.test"])
    expect(guard({ host })).not.toThrow();
  for (const host of [
    undefined,
    "",
    "nomos.test:443",
    "nomos.test.",
    "evil.test",
    "localhost",
    `localhost:${PORT + 1}`,
  ])
    expect(guard({ host })).toThrow(expect.objectContaining({ code: "forbidden_host" }));
  expect(guard({ host: "evil.test", connection: null })).not.toThrow();
  for (const origin of [`http://${HOME}`, PUBLIC]) expect(guard({ origin })).not.toThrow();
  for (const origin of ["null", "http://nomos.test", "https://nomos.test:444", `https://${HOME}`])
    expect(guard({ origin })).toThrow(expect.objectContaining({ code: "forbidden_origin" }));
});
