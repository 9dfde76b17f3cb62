import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { type HomeState, privateHome } from "./private-home.ts";

/** A person's HOME with files, and a folder for the session's own. */
function setUp(files: Readonly<Record<string, string>>) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "nomos-home-")));
  const at = (path: string) => join(top, path);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }
  mkdirSync(at("person"), { recursive: true });
  const make = (state: Partial<HomeState>, env: Readonly<Record<string, string>> = {}) =>
    privateHome({
      folder: at("own"),
      personHome: at("person"),
      state: { login: [], config: [], variables: {}, ...state },
      env,
    });
  return { at, make, [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }) };
}

proves("WL-10", "settings are copied once; a login is a link to the person's file, which is mounted apart", () => {
  using stage = setUp({
    "person/.agent/auth.json": "login",
    "person/.agent/settings.json": "mine",
    "person/.other": "no",
  });
  const { at, make } = stage;
  const state = { login: [".agent/auth.json", ".agent/none"], config: [".agent/settings.json", ".missing"] };
  const made = make(state);
  expect(made).toEqual({
    path: at("own/home"),
    mounts: [
      {
        path: "/run/nomos/login/0",
        from: at("person/.agent/auth.json"),
        access: "write",
        why: "the login of the agent",
      },
    ],
    environment: {},
    configFiles: [at("person/.agent/settings.json")],
  });
  expect(readdirSync(at("own/home"))).toEqual([".agent"]);
  expect(readdirSync(at("own/home/.agent")).toSorted()).toEqual(["auth.json", "settings.json"]);
  expect(readlinkSync(at("own/home/.agent/auth.json"))).toBe("/run/nomos/login/0");
  expect(readFileSync(at("own/home/.agent/settings.json"), "utf8")).toBe("mine");
  expect(statSync(at("own/home")).mode & 0o777).toBe(0o700);
  expect(readdirSync(at("own"))).toEqual(["home"]);
  writeFileSync(at("person/.agent/settings.json"), "newer");
  rmSync(at("own/home/.agent/auth.json"));
  make(state);
  expect(readFileSync(at("own/home/.agent/settings.json"), "utf8")).toBe("mine");
  expect(existsSync(at("own/home/.agent/auth.json"))).toBe(false);
});

proves("WL-10", "a variable that moves a folder is followed to its real place, and set to the copy inside", () => {
  using stage = setUp({
    ...{ "elsewhere/auth.json": "login", "elsewhere/deep/x": "x", "elsewhere/history": "private" },
    ...{ "person/.agent/auth.json": "old", "person/.plain": "plain", "person/.other/set": "set" },
  });
  const { at, make } = stage;
  const state = {
    login: [".agent/auth.json"],
    config: [".agent/deep", ".plain", ".other/set"],
    variables: { AGENT_DIR: ".agent", OTHER: ".other" },
  };
  const made = make(state, { AGENT_DIR: at("elsewhere"), OTHER: "relative" });
  expect(made.environment).toEqual({ AGENT_DIR: "/run/nomos/home/.agent" });
  expect(made.mounts.map(({ from }) => from)).toEqual([at("elsewhere/auth.json")]);
  expect(readFileSync(at("own/home/.agent/deep/x"), "utf8")).toBe("x");
  expect(readdirSync(at("own/home/.agent")).toSorted()).toEqual(["auth.json", "deep"]);
  expect(made.configFiles).toEqual([at("person/.plain"), at("person/.other/set")]);
});

proves("WL-10", "a variable that names a file brings that file, also when no setting names it", () => {
  using stage = setUp({ "elsewhere.json": "moved" });
  const { at, make } = stage;
  const { configFiles, environment } = make(
    { variables: { AGENT_FILE: ".agent.json" } },
    { AGENT_FILE: at("elsewhere.json") },
  );
  expect(configFiles).toEqual([at("elsewhere.json")]);
  expect(environment).toEqual({ AGENT_FILE: "/run/nomos/home/.agent.json" });
  expect(readFileSync(at("own/home/.agent.json"), "utf8")).toBe("moved");
});

proves("WL-10", "a copied folder follows no link to a folder, and is bounded in entries and bytes", () => {
  using stage = setUp({
    "secret/key": "key",
    "person/.agent/file": "f",
    "person/.agent/deep/er": "d",
    "person/target": "t",
  });
  const { at, make } = stage;
  symlinkSync(at("secret"), at("person/.agent/folder-link"));
  symlinkSync(at("person/target"), at("person/.agent/file-link"));
  symlinkSync(at("nowhere"), at("person/.agent/dangling"));
  make({ config: [".agent"] });
  expect(readdirSync(at("own/home/.agent")).toSorted()).toEqual(["deep", "file", "file-link"]);
  expect(lstatSync(at("own/home/.agent/file-link")).isFile()).toBe(true);
  expect(readFileSync(at("own/home/.agent/deep/er"), "utf8")).toBe("d");

  const names = Array.from({ length: 2100 }, (_, n) => [`person/.many/${n}`, ""]);
  using many = setUp(Object.fromEntries(names));
  many.make({ config: [".many"] });
  expect(readdirSync(many.at("own/home/.many"))).toHaveLength(1999);
  using large = setUp({ "person/.large/a": "", "person/.large/b": "" });
  for (const name of ["a", "b"]) truncateSync(large.at(`person/.large/${name}`), 20_000_000);
  large.make({ config: [".large"] });
  expect(readdirSync(large.at("own/home/.large"))).toHaveLength(1);
});

proves("WL-10", "a home without settings is made too, and a special file is no part of one", () => {
  using stage = setUp({ "person/.deep/er/auth": "login", "person/.folder/x": "x", "person/.agent/deep/y": "y" });
  const { at, make } = stage;
  symlinkSync("/dev/null", at("person/.odd"));
  make({ login: [".deep/er/auth", ".folder"], config: [".odd", ".agent/deep", ".agent"] });
  expect(readdirSync(at("own/home")).toSorted()).toEqual([".agent", ".deep"]);
  expect(readlinkSync(at("own/home/.deep/er/auth"))).toBe("/run/nomos/login/0");
  expect(readFileSync(at("own/home/.agent/deep/y"), "utf8")).toBe("y");
  using bare = setUp({});
  expect(readdirSync(bare.make({}).path)).toEqual([]);
});

proves("WL-10", "a login that is a folder, or that the settings bring, is not linked", () => {
  using stage = setUp({ "person/.agent/auth/x": "x", "person/.agent/both": "b" });
  const { at, make } = stage;
  const made = make({ login: [".agent/auth", ".agent/both"], config: [".agent"] });
  expect(made.mounts.map(({ path }) => path)).toEqual(["/run/nomos/login/1"]);
  expect(lstatSync(at("own/home/.agent/both")).isFile()).toBe(true);
});
