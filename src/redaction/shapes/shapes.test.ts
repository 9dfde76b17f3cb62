import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { seededRandom } from "../../../test/support/storm-random.ts";
import { createRedactor } from "../index.ts";
import { SHAPES } from "./catalogue/index.ts";
import { classMembers, type Shape } from "./shape.ts";

const ROOT = join(import.meta.dirname, "../../..");
const redactor = createRedactor({ fingerprintKey: new Uint8Array(32) });

describe("shapes", () => {
  test("there are about 200, and each has an id of its own", () => {
    expect(new Set(SHAPES.map(({ id }) => id)).size).toBe(SHAPES.length);
    expect(SHAPES.length).toBeGreaterThan(190);
    for (const { id } of SHAPES) expect(id).toMatch(/^[a-z0-9-]{3,48}$/);
  });

  proves("RED-3", "a key of each shape is found, also when it arrives in two chunks", () => {
    const random = seededRandom(17);
    for (const shape of SHAPES)
      for (const pattern of shape.patterns) {
        const made = Array.from({ length: 40 }, () => make(shape, pattern, random.below));
        const key = made.find(({ secret }) => shape.check?.(secret) ?? true) ?? { text: "", secret: "" };
        const text = `Here: ${key.text}\n`;
        const [finding] = redactor.find(text);
        expect(finding, `${shape.id}: ${pattern}: ${text}`).toBeDefined();
        const cut = text.indexOf(key.secret) + random.below(key.secret.length);
        const stream = redactor.stream();
        const out = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end();
        expect(out, `${pattern}, cut at ${cut}`).toBe(redactor.text(text));
      }
  });

  proves("RED-4", "examples of manuals, and keys with a wrong checksum, are no findings", () => {
    for (const text of EXAMPLES) expect(redactor.find(text), text).toEqual([]);
  });

  proves("RED-4", "source code and documentation raise next to no alarms", () => {
    const folders = [
      "src",
      "docs",
      "test",
      "web",
      "tools",
      "bench",
      ...["zod", "hono", "pg", "vitest", "ws", "turndown"].map((name) => `node_modules/${name}`),
    ];
    let bytes = 0;
    const alarms = folders.flatMap(filesBelow).flatMap((path) => {
      const text = readFileSync(path, "utf8");
      bytes += text.length;
      return redactor.find(text).map(({ kind }) => `${kind} in ${path.slice(ROOT.length + 1)}`);
    });
    console.log(`${alarms.length} false alarms in ${(bytes / 1e6).toFixed(1)} MB of source code`);
    expect(bytes).toBeGreaterThan(5e6);
    expect(alarms.length, alarms.join("\n")).toBeLessThanOrEqual(ALARMS_MAX);
  });
});

/** A token of a manual, whose form and header are right, stands in a test of zod. */
const ALARMS_MAX = 4;

const EXAMPLES = [
  "AKIAIOSFODNN7EXAMPLE",
  "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  `ghp_${"x".repeat(36)}`,
  `ghp_${"Ab3dE6gH9".repeat(4)}`,
  `npm_${"Ab3dE6gH9".repeat(4)}`,
  "postgres://user:password@localhost:5432/db",
  "https://user:{TOKEN_12345678}@example.com/",
  "sk-your-api-key-goes-here-1234567890abcdef",
  "accessToken: readAccessTokenOfSession2(options)",
  "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n",
  "Authorization: Bearer <token>",
  "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
  "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
  "id: 550e8400-e29b-41d4-a716-446655440000",
];

/** A key of a pattern: the text around it, and the part that is secret. */
function make(
  { id, names }: Shape,
  pattern: string,
  below: (limit: number) => number,
): { text: string; secret: string } {
  const draw = (part: string) =>
    part.replace(/<(.):(\d+)(?:-(\d+))?>/g, (_, name: string, min: string, max?: string) => {
      const from = classMembers(name);
      const length = Math.min(Number(min) + below(8), Number(max ?? min));
      return Array.from({ length }, () => from[below(from.length)]).join("");
    });
  const [kept, body] = pattern.includes("|") ? pattern.split("|") : ["", pattern];
  const drawn = draw(body ?? "");
  const secret =
    id === "github-token" || id === "npm-token"
      ? withChecksum(drawn)
      : id.startsWith("json-web")
        ? withHeader(drawn)
        : drawn;
  const login = id === "docker-registry-login" ? Buffer.from(`me:${secret}`).toString("base64") : secret;
  const name =
    names === undefined ? "" : `MY_${names[below(names.length)]?.toUpperCase()}${["=", ": ", '": "'][below(3)]}`;
  return { text: `${name}${draw(kept ?? "")}${login}`, secret: /[@;]$/.test(login) ? login.slice(0, -1) : login };
}

const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function withChecksum(token: string): string {
  const [prefix = "", body = ""] = token.split("_");
  let rest = crc32(body.slice(0, 30));
  let sum = "";
  for (let i = 0; i < 6; i += 1) {
    sum = (BASE_62[rest % 62] ?? "") + sum;
    rest = Math.floor(rest / 62);
  }
  return `${prefix}_${body.slice(0, 30)}${sum}`;
}

function withHeader(token: string): string {
  return [Buffer.from('{"alg":"HS256"}').toString("base64url"), ...token.split(".").slice(1)].join(".");
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(ts|tsx|js|mjs|cjs|json|md|css|html)$/.test(path) && !path.includes("redaction/shapes"))
    .map((path) => join(ROOT, folder, path))
    .filter((path) => statSync(path).isFile());
}
