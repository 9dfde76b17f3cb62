import type { LanguageName } from "./languages.ts";

/** A command that tells whether the repository is sound, and the file that names it. */
export interface FoundCheck {
  readonly argv: readonly string[];
  readonly from: string;
}

export interface CheckSources {
  readonly languages: readonly LanguageName[];
  readonly has: (path: string) => boolean;
  /** A small file at the root; null when there is none. */
  readonly read: (path: string) => Promise<string | null>;
}

/** Words of the repository choose among commands that are written here; none of them becomes part of a command. */
export async function checksIn(sources: CheckSources): Promise<readonly FoundCheck[]> {
  const { languages } = sources;
  const own = await Promise.all(languages.map((name) => FINDERS[name](sources)));
  const found = own.flat();
  return [...found, ...(await inMakefile(sources, found))];
}

type Find = (sources: CheckSources) => Promise<readonly FoundCheck[]>;

const FINDERS: { readonly [name in LanguageName]: Find } = {
  node: inPackageJson,
  python: inPyproject,
  go: async ({ has }) =>
    has("go.mod") ? [check("go.mod", "go", "test", "./..."), check("go.mod", "go", "vet", "./...")] : [],
  rust: async ({ has }) => (has("Cargo.toml") ? [check("Cargo.toml", "cargo", "test")] : []),
  java: async ({ has }) => inJava(has),
  ruby: async ({ has }) => {
    if (has(".rspec") || has("spec/spec_helper.rb")) return [check("Gemfile", "bundle", "exec", "rspec")];
    return has("Rakefile") ? [check("Rakefile", "bundle", "exec", "rake")] : [];
  },
};

const check = (from: string, ...argv: string[]): FoundCheck => ({ argv, from });

const SCRIPTS: readonly string[] = ["test", "lint", "typecheck", "type-check"];
const MANAGERS: readonly (readonly [manager: string, ...locks: string[]])[] = [
  ["pnpm", "pnpm-lock.yaml"],
  ["yarn", "yarn.lock"],
  ["bun", "bun.lock", "bun.lockb"],
];
/** What `npm init` writes where nothing is tested. */
const NOTHING_TESTED = /no test specified/;

async function inPackageJson({ has, read }: CheckSources): Promise<readonly FoundCheck[]> {
  const scripts = scriptsIn((await read("package.json")) ?? "");
  const manager = MANAGERS.find(([, ...locks]) => locks.some(has))?.[0] ?? "npm";
  return SCRIPTS.filter((name) => scripts.has(name)).map((name) =>
    name === "test" && manager !== "bun"
      ? check("package.json", manager, name)
      : check("package.json", manager, "run", name),
  );
}

function scriptsIn(text: string): ReadonlySet<string> {
  const known: unknown = Object(parsed(text))["scripts"];
  const pairs = Object.entries(Object(known)).filter(([, value]) => typeof value === "string");
  return new Set(
    pairs.filter(([, value]) => value !== "" && !NOTHING_TESTED.test(String(value))).map(([name]) => name),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // A broken package.json names no checks.
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

async function inPyproject({ has, read }: CheckSources): Promise<readonly FoundCheck[]> {
  const project = (await read("pyproject.toml")) ?? "";
  const texts = [project, (await read("setup.cfg")) ?? "", (await read("requirements.txt")) ?? ""].join("\n");
  const from = has("pyproject.toml") ? "pyproject.toml" : has("setup.cfg") ? "setup.cfg" : "requirements.txt";
  const isTested = has("pytest.ini") || has("conftest.py") || has("tests/conftest.py") || /\bpytest\b/.test(texts);
  return [
    ...(isTested ? [check(has("pytest.ini") ? "pytest.ini" : from, "python3", "-m", "pytest")] : []),
    ...(has("ruff.toml") || /^\[tool\.ruff\b/m.test(project) ? [check(from, "ruff", "check", ".")] : []),
    ...(has("mypy.ini") || /^\[tool\.mypy\]/m.test(project) ? [check(from, "mypy", ".")] : []),
  ];
}

function inJava(has: (path: string) => boolean): readonly FoundCheck[] {
  if (has("pom.xml")) return [check("pom.xml", has("mvnw") ? "./mvnw" : "mvn", "-q", "test")];
  const build = ["build.gradle.kts", "build.gradle"].find(has);
  return build === undefined ? [] : [check(build, has("gradlew") ? "./gradlew" : "gradle", "test")];
}

const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];
const TARGETS: readonly string[] = ["test", "lint", "check"];

/** Only what no language's own command checks already: a Makefile usually calls those. */
async function inMakefile({ has, read }: CheckSources, found: readonly FoundCheck[]): Promise<readonly FoundCheck[]> {
  const file = MAKEFILES.find(has);
  if (file === undefined) return [];
  const text = (await read(file)) ?? "";
  const targets = new Set(Array.from(text.matchAll(/^([A-Za-z][\w-]*)\s*:(?![:=])/gm), ([, name = ""]) => name));
  const isTested = found.some(({ argv }) => argv.some((word) => word === "test" || word === "pytest"));
  const isLinted = found.some(({ argv }) => argv.some((word) => word === "lint" || word === "ruff" || word === "vet"));
  const taken = new Set([...(isTested ? ["test", "check"] : []), ...(isLinted ? ["lint"] : [])]);
  return TARGETS.filter((name) => targets.has(name) && !taken.has(name)).map((name) => check(file, "make", name));
}
