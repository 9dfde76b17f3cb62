import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { allowedEnvironment } from "../processes/allowed-environment.ts";
import { strictEnvironment } from "./strict-environment.ts";
import { INSIDE } from "./walls.ts";

const LOGINS = [
  "http://user:s3cret@proxy.test:8080",
  "HTTPS://user:s3cret@proxy.test",
  "user:s3cret@proxy.test:8080",
  "s3cret@proxy.test",
  "socks5h://user:s3cret@proxy.test",
  "http://us%40er:s3%63ret-s3cret@proxy.test/",
  "https:/user:s3cret@proxy.test",
  "https:\\\\user:s3cret@proxy.test",
  "http://user:p@s3cret@proxy.test/x?token=s3cret#s3cret",
];
const NAMES = ["HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "npm_config_registry"];
const MORE = ["NPM_CONFIG_REGISTRY", "LC_SECRET", "XDG_SECRET", "npm_config_proxy", "npm_config_https_proxy"];

proves("WL-41", "no password of a proxy or a registry enters, however it is spelled", () => {
  for (const login of LOGINS) {
    const source = Object.fromEntries([...NAMES, ...MORE].map((name) => [name, login]));
    expect(JSON.stringify(strictEnvironment(allowedEnvironment(source))), login).not.toContain("s3cret");
    expect(JSON.stringify(strictEnvironment(source)), login).not.toContain("s3cret");
  }
  for (const name of ["SSL_CERT_FILE", "LANG", "TZ", "TERM", "npm_config_cafile", "LC_ALL"])
    expect(strictEnvironment({ [name]: "ftp://user:p@s3cret@host/x" })[name]).toBe("ftp://host/x");
});

proves(
  "WL-41",
  "needed variables stay: a registry without its login, the door's proxy, what a driver was given",
  () => {
    const door = { environment: { HTTP_PROXY: "http://127.0.0.1:3128", NO_PROXY: "localhost" } };
    const env = {
      PATH: "/opt/node@20/bin:/node@20/bin:/usr/bin",
      HTTP_PROXY: "http://u:p@proxy.test",
      npm_config_registry: "https://u:p@npm.test:4873/group/npm/?x#y",
      LC_CTYPE: "de_DE.UTF-8@euro",
      DATABASE_URL: "postgres://u:p@db/x",
      XDG_DATA_HOME: `${INSIDE.home}/data`,
      XDG_CONFIG_HOME: "/home/person/.config",
    };
    expect(strictEnvironment(env, door)).toEqual({
      PATH: env.PATH,
      npm_config_registry: "https://npm.test:4873/group/npm/",
      LC_CTYPE: env.LC_CTYPE,
      DATABASE_URL: env.DATABASE_URL,
      XDG_DATA_HOME: env.XDG_DATA_HOME,
      ...door.environment,
      ...{ HOME: INSIDE.home, TMPDIR: INSIDE.temp, NOMOS_SANDBOX: "strict" },
    });
  },
);

proves("WL-3", "no variable enters that runs code in every program or leads to a service of the person's", () => {
  const foreign = [
    ...["SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DOCKER_HOST", "TMUX", "STY"],
    ...["BASH_ENV", "ENV", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "GCONV_PATH", "MALLOC_TRACE", "NLSPATH"],
    ...["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DBUS_SESSION_BUS_ADDRESS", "BASH_FUNC_x%%", "ftp_proxy"],
    ...["XDG_RUNTIME_DIR", "LC_ANYTHING", "SOCKS_PROXY", "npm_config_noproxy"],
  ];
  const inside = strictEnvironment(Object.fromEntries(foreign.map((name) => [name, "/x"])));
  expect(Object.keys(inside).toSorted()).toEqual(["HOME", "NOMOS_SANDBOX", "TMPDIR"]);
  const kept = ["LC_ALL", "LC_CTYPE", "LC_TIME", "LC_IDENTIFICATION", "PATH", "OLD_LD_PATH", "MY_DISPLAY"];
  const given = Object.fromEntries(kept.map((name) => [name, "/x"]));
  expect(strictEnvironment(given)).toMatchObject(given);
  expect(strictEnvironment({ HOME: "/root", TMPDIR: "/x", NOMOS_SANDBOX: "off" })).toEqual({
    ...{ HOME: INSIDE.home, TMPDIR: INSIDE.temp, NOMOS_SANDBOX: "strict" },
  });
});
