import * as z from "zod";
import { SECRET_EVENTS } from "../../domains/index.ts";
import { dataIn } from "../../kernel/index.ts";
import { read, type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";

const Left = z.object({
  path: z.string().describe("the member of config.json, such as `drivers.claude.env.API_KEY`"),
  name: z.string().describe("what its secret would be called"),
  says: z.string().nullable().describe("why it cannot be a secret; null: it can be moved"),
});

/** Keys that lie in config.json instead of the vault. */
export const plaintext: readonly Syscall[] = [
  read({
    name: "secret.plaintext",
    summary: "Find keys that lie in config.json: where they are, never what they are",
    permission: "secret.read",
    roles: [],
    needs: ["plaintext"],
    rights: "person",
    about: "system",
    input: z.object({}),
    output: z.object({ found: z.array(Left) }),
    errors: ["sandbox_floor"],
    http: { method: "GET", path: "/api/plaintext-keys" },
    cli: { positional: [] },
    answer: async ({ services: { plaintext: keys } }) => ({
      found: keys.find().map((key) => ({ path: key.path.join("."), name: key.name, says: keys.fault(key) })),
    }),
  }),
  write({
    name: "secret.adopt",
    summary: "Move keys from config.json into the vault; the configuration then names their secrets",
    permission: "secret.write",
    roles: [],
    needs: ["plaintext"],
    rights: "person",
    about: "system",
    input: z.object({}),
    output: z.object({ moved: z.array(z.string()), left: z.array(z.string()) }),
    errors: [
      ...["sandbox_floor", "secret_exists", "secret_value_refused", "vault_locked", "vault_full"],
      ...["disk_full", "home_unusable", "quota_exceeded", "disk_low"],
    ] as const,
    http: { method: "POST", path: "/api/plaintext-keys/move" },
    cli: { positional: [], says: ["In the vault now: {moved}.", "Still in config.json: {left}."] },
    commit: (context) => context.services.plaintext.move(byOf(context)),
    answer: async ({ services: { plaintext: keys } }, _input, events) => ({
      moved: events.flatMap((event) => dataIn(SECRET_EVENTS, [event], "secret.sealed@1")?.name ?? []),
      left: keys.find().map(({ path }) => path.join(".")),
    }),
  }),
];
