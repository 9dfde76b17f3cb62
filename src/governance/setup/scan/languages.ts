/** A language of the repository, and how sure that is: the part of its markers that was found. */
export interface Language {
  readonly name: LanguageName;
  readonly confidence: number;
  readonly markers: readonly string[];
}

export type LanguageName = "python" | "node" | "go" | "rust" | "java" | "ruby";

export interface FileBudget {
  readonly files: number;
  readonly lines: number;
}

interface Known {
  readonly name: LanguageName;
  /** Files at the root. One marker may have several spellings. */
  readonly markers: readonly (readonly string[])[];
  /** What a change of usual size needs. */
  readonly budget: FileBudget;
}

const KNOWN: readonly Known[] = [
  {
    name: "python",
    markers: [["pyproject.toml"], ["setup.py", "setup.cfg"], ["requirements.txt", "Pipfile", "uv.lock", "poetry.lock"]],
    budget: { files: 15, lines: 500 },
  },
  {
    name: "node",
    markers: [
      ["package.json"],
      ["package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "npm-shrinkwrap.json"],
      ["tsconfig.json", "jsconfig.json"],
    ],
    budget: { files: 20, lines: 600 },
  },
  { name: "go", markers: [["go.mod"], ["go.sum"]], budget: { files: 12, lines: 400 } },
  { name: "rust", markers: [["Cargo.toml"], ["Cargo.lock"]], budget: { files: 12, lines: 400 } },
  {
    name: "java",
    markers: [
      ["pom.xml", "build.gradle", "build.gradle.kts"],
      ["mvnw", "gradlew", "settings.gradle", "settings.gradle.kts"],
    ],
    budget: { files: 15, lines: 500 },
  },
  { name: "ruby", markers: [["Gemfile"], ["Gemfile.lock"], ["Rakefile"]], budget: { files: 15, lines: 500 } },
];

export const DEFAULT_BUDGET: FileBudget = { files: 12, lines: 400 };

/** The surest first; of languages that are as sure, in the order of the table. */
export function languagesIn(has: (path: string) => boolean): readonly Language[] {
  const found = KNOWN.map(({ name, markers }): Language => {
    const there = markers.flatMap((spellings) => spellings.filter(has).slice(0, 1));
    return { name, confidence: Number((there.length / markers.length).toFixed(2)), markers: there };
  });
  return found.filter(({ markers }) => markers.length > 0).toSorted((a, b) => b.confidence - a.confidence);
}

/** By the surest language. */
export function budgetFor([surest]: readonly Language[]): FileBudget {
  return KNOWN.find(({ name }) => name === surest?.name)?.budget ?? DEFAULT_BUDGET;
}
