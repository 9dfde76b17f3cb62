import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** How to make a real agent use our scripted model, and how it is known to behave. */
export interface Recipe {
  readonly slug: string;
  /** Tested on every change; the others on request. */
  readonly always: boolean;
  /** Writes the files it needs below the person's home; returns its environment. */
  readonly prepare: (person: string, endpoint: string) => Promise<Readonly<Record<string, string>>>;
  /** The script step that makes it ask for permission; null for an agent that never asks. */
  readonly asksOn: "write" | "escalate" | null;
  /** Whether it accepts the tools that a session offers. */
  readonly takesTools: boolean;
  /** For a one-shot program: the mode in which it may write. Its default mode may not, and it never asks. */
  readonly writesIn?: string;
  /** For a one-shot program: no mode runs a command without a question, and nobody can answer one. */
  readonly runsNothing?: true;
  /** What it prints when several of its processes start at the same moment and trip over each other, also without Nomos. */
  readonly startRace?: { readonly says: readonly string[]; readonly note: string };
  /** How its memory is restored after its process has ended. */
  readonly comesBack: "native" | "either";
}

const SPEAKING: readonly Recipe[] = [
  {
    slug: "claude",
    always: true,
    asksOn: "write",
    takesTools: true,
    comesBack: "native",
    prepare: async (_person, endpoint) => ({
      ANTHROPIC_BASE_URL: endpoint,
      ANTHROPIC_API_KEY: KEY,
      ENABLE_TOOL_SEARCH: "false",
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false",
    }),
  },
  {
    slug: "codex",
    always: true,
    asksOn: "escalate",
    takesTools: true,
    comesBack: "native",
    prepare: async (person, endpoint) => {
      const home = join(person, ".codex");
      await lay(join(home, "config.toml"), codexConfig(endpoint));
      return { CODEX_HOME: home, SCRIPTED_KEY: KEY, INITIAL_AGENT_MODE: "workspace-write" };
    },
  },
  {
    slug: "opencode",
    always: true,
    asksOn: "write",
    takesTools: true,
    comesBack: "native",
    prepare: prepareOpencode({ edit: "ask", bash: "ask" }),
  },
  {
    slug: "pi",
    always: true,
    asksOn: null,
    takesTools: false,
    comesBack: "native",
    prepare: async (person, endpoint) => {
      const model = { id: MODEL, name: MODEL, contextWindow: 100_000, maxTokens: 4096 };
      const provider = { baseUrl: `${endpoint}/v1`, api: "openai-completions", apiKey: KEY, models: [model] };
      await lay(join(person, ".pi/agent/models.json"), json({ providers: { scripted: provider } }));
      await lay(join(person, ".pi/agent/settings.json"), json({ defaultProvider: "scripted", defaultModel: MODEL }));
      return { PI_OFFLINE: "1" };
    },
  },
  {
    slug: "gemini",
    always: false,
    asksOn: "write",
    takesTools: true,
    comesBack: "either",
    prepare: async (person, endpoint) => {
      const security = { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } };
      await lay(join(person, ".gemini/settings.json"), json({ security }));
      return { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: endpoint };
    },
  },
  {
    slug: "copilot",
    always: false,
    asksOn: "write",
    takesTools: true,
    comesBack: "native",
    prepare: async (person, endpoint) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${endpoint}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: MODEL,
      COPILOT_HOME: join(person, ".copilot"),
    }),
  },
  {
    slug: "qwen",
    always: false,
    asksOn: "write",
    takesTools: true,
    comesBack: "native",
    prepare: async (person, endpoint) => {
      const security = { auth: { selectedType: "openai" } };
      await lay(join(person, ".qwen/settings.json"), json({ security }));
      return { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${endpoint}/v1`, OPENAI_MODEL: MODEL };
    },
  },
];

/** Each start removes what it takes for leftovers of other processes, sometimes of one that is just starting. */
const CODEX_RACE = {
  says: ["codex-linux-sandbox: No such file or directory", "could not create PATH aliases"],
  note: "about one start in thirty loses its own sandbox to another's, and its commands fail in that turn",
};

/** The same programs in print mode: no questions, and none of our tools. */
const ONE_SHOT: readonly Recipe[] = [
  { ...oneShot("claude", "acceptEdits"), runsNothing: true },
  // The fastest of them.
  { ...oneShot("codex", "workspace-write"), always: true, startRace: CODEX_RACE },
  // Default settings: without rules of the person it never asks.
  { ...oneShot("opencode", "configured"), prepare: prepareOpencode({}) },
  oneShot("pi", "full"),
  { ...oneShot("gemini", "auto_edit"), runsNothing: true },
];

export const RECIPES: readonly Recipe[] = [...SPEAKING, ...ONE_SHOT];

function oneShot(program: string, writesIn: string): Recipe {
  const speaking = SPEAKING.find(({ slug }) => slug === program);
  if (speaking === undefined) throw new Error(`${program} is not driven in any other way`);
  const knows = { asksOn: null, takesTools: false, comesBack: "native" } as const;
  return { slug: `${program}-print`, always: false, prepare: speaking.prepare, writesIn, ...knows };
}

export function recipeOf(slug: string): Recipe {
  const found = RECIPES.find((recipe) => recipe.slug === slug);
  if (found === undefined)
    throw new Error(`no such agent: ${slug}; there are ${RECIPES.map((one) => one.slug).join(", ")}`);
  return found;
}

/** Not checked: the model on loopback accepts any key. */
const KEY = "any";
const MODEL = "scripted";

function codexConfig(endpoint: string): string {
  return [
    `model = "${MODEL}"`,
    'model_provider = "scripted"',
    "[model_providers.scripted]",
    'name = "scripted"',
    `base_url = "${endpoint}/v1"`,
    'wire_api = "responses"',
    'env_key = "SCRIPTED_KEY"',
    "[features]",
    "plugins = false",
    "apps = false",
    "",
  ].join("\n");
}

function prepareOpencode(permission: Readonly<Record<string, string>>): Recipe["prepare"] {
  return async (person, endpoint) => {
    const file = join(person, "opencode.json");
    await lay(file, json(opencodeConfig(endpoint, permission)));
    return { OPENCODE_CONFIG: file, OPENCODE_DISABLE_MODELS_FETCH: "1" };
  };
}

function opencodeConfig(endpoint: string, permission: object): object {
  const options = { baseURL: `${endpoint}/v1`, apiKey: KEY };
  const scripted = { npm: "@ai-sdk/openai-compatible", name: MODEL, options, models: { [MODEL]: { name: MODEL } } };
  return {
    provider: { scripted },
    model: `scripted/${MODEL}`,
    small_model: `scripted/${MODEL}`,
    enabled_providers: ["scripted"],
    permission,
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function lay(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
