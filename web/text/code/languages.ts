/** Names that people and file endings use, by the grammar that reads them. Only grammars of lowlight's common set. */
const NAMES: Readonly<Record<string, string>> = {
  arduino: "ino",
  bash: "sh zsh ksh bashrc profile envrc",
  c: "h",
  cpp: "cc cxx c++ hpp hh hxx h++",
  csharp: "cs c#",
  css: "",
  diff: "patch",
  go: "golang",
  graphql: "gql",
  ini: "toml conf cfg editorconfig gitconfig npmrc properties",
  java: "jsp",
  javascript: "js jsx mjs cjs node",
  json: "jsonc json5 jsonl ndjson webmanifest map",
  kotlin: "kt kts",
  less: "",
  lua: "pluto",
  makefile: "make mk mak",
  markdown: "md mkd mkdown mdx",
  objectivec: "m mm objc obj-c",
  perl: "pl pm",
  php: "",
  python: "py pyi gyp ipython",
  r: "",
  ruby: "rb gemspec podspec rake",
  rust: "rs",
  scss: "sass",
  shell: "console shellsession sh-session",
  sql: "psql mysql sqlite",
  swift: "",
  typescript: "ts tsx mts cts",
  vbnet: "vb",
  wasm: "wat",
  xml: "html htm xhtml svg rss atom xsl plist vue svelte xsd",
  yaml: "yml",
};

const FILES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    makefile: "makefile",
    gnumakefile: "makefile",
    gemfile: "ruby",
    rakefile: "ruby",
    ".bashrc": "bash",
    ".zshrc": "bash",
    ".profile": "bash",
    ".env": "bash",
    ".npmrc": "ini",
    ".editorconfig": "ini",
  }),
);

const GRAMMARS: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([grammar, names]) =>
    [grammar, ...names.split(" ").filter((name) => name !== "")].map((name) => [name, grammar] as const),
  ),
);

/** The grammar for what stands behind a code fence: `ts`, `TypeScript`, `js title="x"`. Null: none. */
export function grammarNamed(language: string): string | null {
  const [first = ""] = language
    .trim()
    .toLowerCase()
    .split(/[\s,{:;]/, 1);
  return GRAMMARS.get(first) ?? null;
}

/** The grammar for a file, by its name. Null: none. */
export function grammarOfFile(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const known = FILES.get(name);
  if (known !== undefined) return known;
  const dot = name.lastIndexOf(".");
  return dot === -1 ? null : (GRAMMARS.get(name.slice(dot + 1)) ?? null);
}
