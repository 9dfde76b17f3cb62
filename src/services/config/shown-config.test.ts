import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { Config } from "../../contract/index.ts";
import { shownConfig, withHiddenKept } from "./shown-config.ts";

const SECRETS = ["hunter2", "sk-ant-0123", "s3cr3t", "p4ss", "tok3n", "n3w", "opensesame"];
const CONFIG: Config = Config.parse({
  port: 4200,
  store: "postgres://u:p4ss@db/nomos?options=s3cr3t",
  models: {
    default: "acme/large:7b",
    providers: {
      acme: {
        api: "openai-chat",
        baseUrl: "https://models.example/v1",
        key: { env: "ACME_API_KEY" },
        headers: { "X-Api-Key": "hunter2" },
        options: { accessKeyId: "s3cr3t", includeUsage: true },
        models: { "large:7b": { window: 8000, price: { input: 1, output: 2 } } },
      },
      odd: { api: "azure", baseUrl: "https://models.example/v1?api-key=tok3n" },
    },
  },
  engine: { stepsMax: 9, thinking: "high", later: "n3w" },
  onQuota: "continue",
  future: { key: "n3w", deep: ["n3w"] },
  limits: { homeBytes: 1_000_000, later: "n3w" },
  sandbox: { readable: ["/opt/tools"], proxy: "http://u:p4ss@h" },
  anchors: { witness: { url: "https://u:p4ss@witness.example/log?key=tok3n", key: "tok3n" } },
  drivers: {
    claude: {
      command: "/usr/bin/claude",
      args: ["acp", "--api-key", "sk-ant-0123", "--key=hunter2", "-H", "X-Api-Key: hunter2", "--verbose", "s3cr3t"],
      env: { ANTHROPIC_API_KEY: "sk-ant-0123", DEBUG: "s3cr3t" },
      home: "/home/u",
      permissions: "ask",
    },
    local: { command: "agent", onQuota: "tell" },
    odd: { command: "env KEY=hunter2 agent", file: "/x?token=tok3n", args: ["opensesame", "-pn3w"] },
  },
});

proves("TK-5", "a value that could be a secret is masked, wherever it stands in the configuration", () => {
  const shown = shownConfig(CONFIG);
  for (const secret of SECRETS) expect(JSON.stringify(shown)).not.toContain(secret);
  expect(shown).toMatchObject({
    port: 4200,
    store: "postgres://u:***@db/nomos?options=***",
    limits: { homeBytes: 1_000_000 },
    sandbox: { readable: ["/opt/tools"] },
    models: {
      default: "acme/large:7b",
      providers: {
        acme: {
          api: "openai-chat",
          baseUrl: "https://models.example/v1",
          key: { env: "ACME_API_KEY" },
          headers: { "X-Api-Key": "[hidden]" },
          options: { accessKeyId: "[hidden]", includeUsage: true },
          models: { "large:7b": { window: 8000, price: { input: 1, output: 2 } } },
        },
      },
    },
    engine: { stepsMax: 9, thinking: "high" },
    onQuota: "continue",
    drivers: {
      claude: {
        command: "/usr/bin/claude",
        args: ["acp", "--api-key", "[hidden]", "--key=[hidden]", "-H", "[hidden]", "--verbose", "[hidden]"],
        env: { ANTHROPIC_API_KEY: "[hidden]", DEBUG: "[hidden]" },
        home: "/home/u",
        permissions: "ask",
      },
    },
  });
});

proves(
  "TK-5",
  "a shown configuration sent back unchanged changes nothing; one edited value changes only that value",
  () => {
    expect(withHiddenKept(shownConfig(CONFIG), CONFIG)).toEqual(CONFIG);
    const args = ["acp", "--api-key", "[hidden]", "--key=[hidden]", "-H", "[hidden]", "--quiet", "[hidden]"];
    const claude = { ...CONFIG.drivers?.["claude"], args, env: { ANTHROPIC_API_KEY: "[hidden]", DEBUG: "1" } };
    expect(withHiddenKept({ drivers: { claude } }, CONFIG)).toEqual({
      drivers: {
        claude: {
          ...CONFIG.drivers?.["claude"],
          args: CONFIG.drivers?.["claude"]?.args?.map((one) => (one === "--verbose" ? "--quiet" : one)),
          env: { ANTHROPIC_API_KEY: "sk-ant-0123", DEBUG: "1" },
        },
      },
    });
  },
);

proves("TK-5", "a mask that stands for no value, or for another value, is refused and not stored", () => {
  const changes: readonly Record<string, unknown>[] = [
    { drivers: { evil: { env: { KEY: "[hidden]" } } } },
    { drivers: { claude: { env: { OTHER: "[hidden]" } } } },
    { drivers: { claude: { args: ["--print", "[hidden]"] } } },
    { drivers: { claude: { args: ["--url=[hidden]"] } } },
    { drivers: { claude: { command: "[hidden]" } } },
    { store: "postgres://u:***@evil/nomos" },
    { anchors: { witness: { url: "https://[hidden]@evil.example/", key: "k" } } },
    { drivers: { constructor: { env: { name: "[hidden]" } } } },
    { whatever: "[hidden]" },
  ];
  for (const change of changes)
    expect(() => withHiddenKept(change, CONFIG), JSON.stringify(change)).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
});
