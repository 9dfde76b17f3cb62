import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { programMounts } from "./program-mounts.ts";

/** A person's HOME. Names that end with a slash are directories. */
function setUp(...names: readonly string[]) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "nomos-person-")));
  const at = (name: string) => join(home, name);
  for (const name of names) {
    mkdirSync(name.endsWith("/") ? at(name) : dirname(at(name)), { recursive: true });
    if (!name.endsWith("/")) writeFileSync(at(name), "");
  }
  const shown = (searchPath: readonly string[], programs: readonly string[] = []): string[] =>
    programMounts({ programs, searchPath: searchPath.join(":"), kept: [home] })
      .map((path) => relative(home, path))
      .toSorted();
  return { home, at, shown, [Symbol.dispose]: () => rmSync(home, { recursive: true }) };
}

proves(
  "WL-1",
  "a program in the person's own bin shows nothing beside it; an installed one shows the files it needs",
  () => {
    using person = setUp("bin/", "lib/", "versions/", "tool/bin/", "tool/lib/", "tool/share/");
    const { at, shown } = person;
    expect(shown([at("bin"), at("tool/bin")])).toEqual(["bin", "tool/bin", "tool/lib"]);
  },
);

proves(
  "WL-1",
  "an entry of the PATH shows code only: its modules, or the installation around a `bin` or `shims`",
  () => {
    using person = setUp(
      "suite/scripts/",
      "suite/lib/",
      "env/shims/",
      "env/versions/",
      "env/keys/",
      "app/node_modules/.bin/",
    );
    const { at, shown } = person;
    expect(shown([at("suite/scripts")])).toEqual(["suite/scripts"]);
    expect(shown([at("env/shims")])).toEqual(["env/shims", "env/versions"]);
    expect(shown([at("app/node_modules/.bin")])).toEqual(["app/node_modules"]);
  },
);

proves("WL-1", "neither the root directory nor HOME is shown, also through a link, nor anything relative", () => {
  using person = setUp("tool/x");
  const { home, at } = person;
  const places = { searchPath: ["/", "src", ".", ""].join(":"), programs: ["package.json", "/", "src"], kept: [home] };
  expect(programMounts(places)).toEqual([]);
  symlinkSync("/", at("tool/root"));
  symlinkSync(home, at("tool/home"));
  expect(programMounts({ ...places, searchPath: [at("tool/root"), at("tool/home")].join(":") })).toEqual([]);
  expect(programMounts({ programs: [], searchPath: ["/", at("tool/root")].join(":"), kept: [] })).toEqual([]);
  expect(programMounts({ programs: [at("tool")], searchPath: "", kept: [] })).toEqual([]);
  expect(programMounts({ programs: [at("missing")], searchPath: "", kept: [] })).toEqual([]);
});

proves("WL-3", "a program shows itself and its folder, where its link lies and where it leads", () => {
  using person = setUp("tool/run", "tool/part", "links/", "own.sh", "secret");
  const { at, shown } = person;
  symlinkSync(at("tool/run"), at("links/run"));
  expect(shown([], [at("tool/run")])).toEqual(["tool"]);
  expect(shown([], [at("links/run")])).toEqual(["links", "tool"]);
  expect(shown([at("tool")], [at("tool/run")])).toEqual(["tool"]);
  // Directly in HOME: the file alone.
  expect(shown([], [at("own.sh")])).toEqual(["own.sh"]);
});

proves("WL-3", "a Node program shows the outermost modules around it, and those above it with their package", () => {
  using person = setUp(
    ...[
      "app/node_modules/one/node_modules/two/cli.js",
      "app/package.json",
      "app/src/run.js",
      "app/notes",
      "package.json",
    ],
  );
  const { at, shown } = person;
  expect(shown([], [at("app/node_modules/one/node_modules/two/cli.js")])).toEqual([
    ...["app/node_modules", "app/package.json", "package.json"],
  ]);
  expect(shown([], [at("app/src/run.js")])).toEqual([
    ...["app/node_modules", "app/package.json", "app/src", "package.json"],
  ]);
});
