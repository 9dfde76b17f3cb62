import { expect, test } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { type Scan, scanFiles } from "./scan-files.ts";

function scan(files: Readonly<Record<string, string>>): Promise<Scan> {
  return scanFiles({ files: Object.keys(files), read: async (path) => files[path] ?? null });
}

const argvs = ({ checks }: Scan): readonly string[] => checks.map(({ argv }) => argv.join(" "));

proves("GS-7", "languages are told by their markers, the surest first; the confidence is found by all", async () => {
  const found = await scan({ "package.json": "{}", "package-lock.json": "", "Cargo.toml": "", "Cargo.lock": "" });
  expect(found.languages).toEqual([
    { name: "rust", confidence: 1, markers: ["Cargo.toml", "Cargo.lock"] },
    { name: "node", confidence: 0.67, markers: ["package.json", "package-lock.json"] },
  ]);
  expect((await scan({ "README.md": "" })).languages).toEqual([]);
});

proves("GS-7", "the budget follows the surest language: python 15/500, node 20/600, go and rust 12/400", async () => {
  const budgets = await Promise.all(
    ["pyproject.toml", "package.json", "go.mod", "Cargo.toml", "pom.xml", "Gemfile", "README.md"].map(
      async (file) => (await scan({ [file]: "" })).budget,
    ),
  );
  expect(budgets.map(({ files, lines }) => `${files}/${lines}`)).toEqual([
    ...["15/500", "20/600", "12/400", "12/400", "15/500", "15/500", "12/400"],
  ]);
});

test.each([
  [
    "scripts of a package",
    { "package.json": '{"scripts":{"test":"vitest","lint":"x","build":"x"}}' },
    "npm test;npm run lint",
  ],
  [
    "npm's own placeholder",
    { "package.json": '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' },
    "",
  ],
  ["another package manager", { "package.json": '{"scripts":{"test":"x"}}', "pnpm-lock.yaml": "" }, "pnpm test"],
  [
    "bun, whose `bun test` is another command",
    { "package.json": '{"scripts":{"test":"x"}}', "bun.lock": "" },
    "bun run test",
  ],
  ["a broken package.json", { "package.json": '{"scripts":' }, ""],
  ["scripts that are no mapping", { "package.json": '{"scripts":["test"]}' }, ""],
  [
    "pytest, ruff and mypy",
    { "pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n" },
    "python3 -m pytest;ruff check .;mypy .",
  ],
  ["a python project without tests", { "pyproject.toml": "[project]\n" }, ""],
  ["go", { "go.mod": "" }, "go test ./...;go vet ./..."],
  ["cargo", { "Cargo.toml": "" }, "cargo test"],
  ["a Makefile alone", { Makefile: "test: build\n\tx\nlint:\n\tx\nVERSION := 1\n" }, "make test;make lint"],
  [
    "a Makefile beside a language's own test",
    { Makefile: "test:\n\tcargo test\nlint:\n\tx\n", "Cargo.toml": "" },
    "cargo test;make lint",
  ],
  ["maven with its wrapper", { "pom.xml": "", mvnw: "" }, "./mvnw -q test"],
])("checks: %s", async (_name, files, expected) => {
  expect(argvs(await scan(files)).join(";")).toBe(expected);
});

proves("GS-7", "words of the repository choose among known commands; none becomes part of one", async () => {
  const hostile = '{"scripts":{"test; rm -rf /":"x","test":"x","$(id)":"x","__proto__":"x"}}';
  expect(argvs(await scan({ "package.json": hostile, Makefile: "test;evil: x\n$(shell id): x\n" }))).toEqual([
    "npm test",
  ]);
});

proves("GS-7", "keys, credentials and tokens are found; settings and sources that only sound so are not", async () => {
  const found = await scan({
    "certs/server.pem": "",
    "a/b/id.key": "",
    "credentials.json": "",
    "src/credentials.ts": "",
    ".npmrc": "registry=https://registry.example\n",
    "other/.npmrc": "//registry.example/:_authToken=abc\n",
    ".env.example": "",
    "keys.md": "",
  });
  expect(found.sensitive).toEqual(["**/*.key", "**/*.pem", "**/.npmrc", "**/credentials.json"]);
  expect(found.plainSettings).toEqual([".npmrc"]);
  expect(found.envExamples).toEqual([".env.example"]);
});

test("sources, CI, hooks, an archive and a law of ExoProtocol are found by their places", async () => {
  const found = await scan({
    "src/a.ts": "",
    "lib/b.ts": "",
    "docs/src/c.md": "",
    ".github/workflows/ci.yml": "",
    ".husky/pre-commit": "",
    "archive/x": "",
    ".exo/config.yaml": "",
  });
  expect(found).toMatchObject({ sourceDirs: ["src", "lib"], hasArchive: true, hasExo: true });
  expect([...found.ci, ...found.hooks]).toEqual([".github/workflows", ".husky"]);
});
