import { AGENT_PATHS, CI_PATHS, HOOK_PATHS } from "../../../domains/index.ts";
import { type CheckSources, checksIn, type FoundCheck } from "./checks.ts";
import { budgetFor, type FileBudget, type Language, languagesIn } from "./languages.ts";

/** What a repository is made of, as far as its law has to know. */
export interface Scan {
  /** How many files git tracks or would track. */
  readonly files: number;
  readonly languages: readonly Language[];
  readonly checks: readonly FoundCheck[];
  readonly sourceDirs: readonly string[];
  /** Files and folders that run with more rights than an agent has. */
  readonly ci: readonly string[];
  readonly hooks: readonly string[];
  /** Patterns of files that hold keys or passwords. */
  readonly sensitive: readonly string[];
  /** Committed examples such as `.env.example`: no secrets. */
  readonly envExamples: readonly string[];
  /** Settings of package managers without a password in them. */
  readonly plainSettings: readonly string[];
  readonly hasArchive: boolean;
  /** A `.exo` folder whose law can be imported. */
  readonly hasExo: boolean;
  readonly budget: FileBudget;
}

export interface ScannedFiles {
  /** Paths below the root, `/` between names. */
  readonly files: readonly string[];
  readonly read: (path: string) => Promise<string | null>;
}

export async function scanFiles({ files, read }: ScannedFiles): Promise<Scan> {
  const known = new Set(files);
  const folders = new Set(files.flatMap((path) => (path.includes("/") ? [path.slice(0, path.indexOf("/"))] : [])));
  const has = (path: string): boolean => known.has(path);
  const isThere = (place: string): boolean => has(place) || files.some((path) => path.startsWith(`${place}/`));
  const languages = languagesIn(has);
  const sources: CheckSources = { has, read, languages: languages.map(({ name }) => name) };
  return {
    files: files.length,
    languages,
    checks: await checksIn(sources),
    sourceDirs: SOURCE_DIRS.filter((name) => folders.has(name)),
    ci: CI_PATHS.filter(isThere),
    hooks: [...HOOK_PATHS, ...AGENT_PATHS.map((path) => path.replace("**/", ""))].filter(isThere),
    ...(await secretsIn(files, read)),
    envExamples: files.filter((path) => ENV_EXAMPLE.test(path)).toSorted(),
    hasArchive: folders.has("archive"),
    hasExo: folders.has(".exo"),
    budget: budgetFor(languages),
  };
}

const SOURCE_DIRS = ["src", "lib", "app", "cmd", "pkg", "internal", "apps", "packages", "modules"];

const ENV_EXAMPLE = /(?:^|\/)\.env\.(?:example|sample|template|dist|defaults)$/;

const KEY_FILES: readonly (readonly [pattern: string, ending: RegExp])[] = [
  ["**/*.pem", /\.pem$/],
  ["**/*.key", /\.key$/],
  ["**/*.p12", /\.p12$/],
  ["**/*.pfx", /\.pfx$/],
  ["**/*.keystore", /\.keystore$/],
  ["**/serviceAccountKey*.json", /(?:^|\/)serviceAccountKey[^/]*\.json$/],
];
/** Named after credentials, and no source or text about them. */
const CREDENTIALS = /(?:^|\/)(credentials(?:\.(?:json|ya?ml|toml|ini|cfg|xml|csv|enc|properties))?)$/i;
/** Usual settings of a package manager, unless a token stands in them. */
const REGISTRY_FILES = /(?:^|\/)(?:\.npmrc|\.pypirc)$/;
const REGISTRY_TOKEN = /_auth|password/i;
const REGISTRY_FILES_MAX = 20;
/** Can be written as a pattern that means this path alone. */
const IS_PLAIN_NAME = /^[\w.@/-]+$/;

async function secretsIn(
  files: readonly string[],
  read: ScannedFiles["read"],
): Promise<Pick<Scan, "sensitive" | "plainSettings">> {
  const keys = KEY_FILES.filter(([, ending]) => files.some((path) => ending.test(path))).map(([pattern]) => pattern);
  const named = files.flatMap((path) => CREDENTIALS.exec(path)?.[1] ?? []).map((name) => `**/${name}`);
  const [tokens, plain]: [string[], string[]] = [[], []];
  for (const path of files.filter((one) => REGISTRY_FILES.test(one)).slice(0, REGISTRY_FILES_MAX)) {
    const text = await read(path);
    if (text === null || REGISTRY_TOKEN.test(text)) tokens.push(`**/${path.slice(path.lastIndexOf("/") + 1)}`);
    else if (IS_PLAIN_NAME.test(path)) plain.push(path);
  }
  return { sensitive: [...new Set([...keys, ...named, ...tokens])].toSorted(), plainSettings: plain.toSorted() };
}
