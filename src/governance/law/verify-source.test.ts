import { generateKeyPairSync, sign } from "node:crypto";
import { beforeAll, expect } from "vitest";
import { CONFIG, CONSTITUTION, lawSigner } from "../../../test/support/lawful-repository.ts";
import { proves } from "../../../test/support/proves.ts";
import { verifierKey } from "../../store/tree/note.ts";
import { LAW_FILES, type LawFile, type LawSource, type ReadFile } from "./law-source.ts";
import { makeLock, parseLock, writeLock } from "./lock.ts";
import { buildLock, composeFrom } from "./make-law.ts";
import { parsePolicy, type Signer, writePolicy } from "./sealed-policy.ts";
import { stableJson } from "./stable-json.ts";
import { verifySource } from "./verify-source.ts";

type Texts = Readonly<Record<LawFile, string>>;

const NO_HISTORY = { current: null, own: [], all: new Set<string>(), isCut: false };
const FEATURES = "features:\n  - id: login\n    status: active\n";
const REQUIREMENTS = "requirements:\n  - id: REQ-1\n    title: Log in\n";
const TRUST = { signers: [] };
let whole: Texts;

async function lawTexts(signer: Signer | null): Promise<Texts> {
  const texts = { constitution: CONSTITUTION, config: CONFIG, features: FEATURES, requirements: REQUIREMENTS };
  const lock = buildLock(CONSTITUTION, NO_HISTORY).text;
  const policy = (await composeFrom(texts, lock, { signer, nowMs: 0, policy: null })).text;
  return { ...texts, lock, policy };
}

beforeAll(async () => {
  whole = await lawTexts(ownSigner());
});

/** Like the home's, and made without a file. */
function ownSigner(name = "nomos/abcd"): Signer {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  return { key: verifierKey(name, 1, raw).text, sign: (text) => sign(null, Buffer.from(text), privateKey) };
}

function of(files: Readonly<Record<LawFile, ReadFile | string>>): LawSource {
  return async (file) => {
    const given = files[file];
    return typeof given === "string" ? { text: given } : given;
  };
}

async function codesOf(change: Partial<Record<LawFile, ReadFile | string>>): Promise<readonly string[]> {
  const { problems, law } = await verifySource(of({ ...whole, ...change }), TRUST);
  if (law !== null) expect(problems.every(({ code }) => /^policy_(missing|stale)$/.test(code))).toBe(true);
  for (const { remedy, message } of problems) expect([remedy, message].every((text) => text.length > 10)).toBe(true);
  return problems.map(({ code }) => code);
}

const EDITED: readonly LawFile[] = ["constitution", "lock", "policy", "config", "features", "requirements"];

proves("GL-6", "a whole law is sound, and says who signed it", async () => {
  const { problems, law } = await verifySource(of(whole), TRUST);
  expect(problems).toEqual([]);
  expect(law?.policy?.signature?.key).toMatch(/^nomos\/abcd\+/);
  expect(law?.lock.rules.map(({ id }) => id)).toEqual(["SEC-1", "DEL-1"]);
});

proves("GL-6", "every single byte of every file: one that is another, is gone, or is twice, is a problem", async () => {
  for (const file of EDITED) {
    const bytes = Buffer.from(whole[file]);
    for (let at = 0; at < bytes.length; at += 1) {
      const edits = [Buffer.from(bytes), without(bytes, at), twice(bytes, at)];
      edits[0]?.writeUInt8((bytes[at] ?? 0) ^ 1, at);
      // The whole product would be slow and prove no more: every byte gets one of the three.
      const edit = edits[at % edits.length] ?? bytes;
      if (edit.equals(bytes)) continue;
      expect(await codesOf({ [file]: edit.toString("latin1") }), `${file} ${at}`).not.toEqual([]);
    }
  }
});

const without = (bytes: Buffer, at: number): Buffer => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
const twice = (bytes: Buffer, at: number): Buffer => Buffer.concat([bytes.subarray(0, at + 1), bytes.subarray(at)]);

proves("GL-6", "a file that is cut off anywhere, or ends in something else, is a problem", async () => {
  for (const file of EDITED) {
    const text = whole[file];
    for (let end = 0; end < text.length; end += 7)
      expect(await codesOf({ [file]: text.slice(0, end) }), `${file} ${end}`).not.toEqual([]);
    for (const tail of [" ", "\n", "\0", "x", "\n{}"])
      expect(await codesOf({ [file]: text + tail }), `${file} ${JSON.stringify(tail)}`).not.toEqual([]);
  }
});

proves("GL-6", "files that are gone, swapped, links, or too large are told by their names", async () => {
  for (const file of EDITED) expect(await codesOf({ [file]: { text: null } }), file).not.toEqual([]);
  for (const one of EDITED)
    for (const other of EDITED)
      if (one < other)
        expect(await codesOf({ [one]: whole[other], [other]: whole[one] }), `${one} ${other}`).not.toEqual([]);
  for (const file of EDITED) {
    const { problems, law } = await verifySource(of({ ...whole, [file]: { odd: "it is a link and no file" } }), TRUST);
    expect([law, problems]).toEqual([
      null,
      [
        expect.objectContaining({
          code: "governance_invalid",
          file: LAW_FILES[file],
          message: expect.stringMatching(/link/),
        }),
      ],
    ]);
  }
  expect(await codesOf({ constitution: { text: null } })).toEqual(["governance_missing"]);
  expect(await codesOf({ lock: { text: null } })).toEqual(["governance_missing"]);
  expect(await codesOf({ policy: { text: null } })).toEqual(["policy_missing"]);
});

proves(
  "GL-6",
  "case 18: an edited constitution, a newer judge, a rule without an id, two rules of one id",
  async () => {
    expect(await codesOf({ constitution: `${CONSTITUTION}\nMore words.\n` })).toEqual(["governance_drift"]);
    const rewritten = (change: object) => stableJson({ ...JSON.parse(whole.lock), ...change });
    const newer = { kernel: { name: "nomos", version: "2.0.0" } };
    expect(await codesOf({ lock: rewritten(newer) })).toEqual(["governance_newer"]);
    expect(await codesOf({ lock: rewritten({ version: 2 }) })).toEqual(["governance_newer"]);
    expect(await codesOf({ policy: stableJson({ ...JSON.parse(whole.policy), version: 9 }) })).toEqual([
      "governance_newer",
    ]);
    expect(await codesOf({ config: "version: 2\n" })).toEqual(["governance_newer"]);
    const broken = CONSTITUTION.replace("id: DEL-1\n", "");
    expect(await codesOf({ constitution: broken })).toContain("rule_invalid");
    expect(await codesOf({ constitution: CONSTITUTION.replace("DEL-1", "SEC-1") })).toContain("rule_invalid");
  },
);

proves(
  "GL-6",
  "a forger who computes every hash anew is found: the rules are not those of the constitution",
  async () => {
    const parsed = parseLock(whole.lock);
    if (parsed.is !== "whole") throw new Error("the lock is whole");
    const { rules } = parsed.value;
    for (const forged of [[], rules.toReversed(), rules.slice(1), rules.map((rule) => ({ ...rule, actions: [] }))]) {
      const lock = writeLock(makeLock(CONSTITUTION, forged, null));
      expect(await codesOf({ lock })).toEqual(["governance_invalid"]);
    }
    const policy = parsePolicy(whole.policy);
    if (policy.is !== "whole") throw new Error("the policy is whole");
    const looser = { ...policy.value, denials: { ...policy.value.denials, write: [] } };
    expect(await codesOf({ policy: writePolicy(looser) })).toEqual(["policy_tampered"]);
  },
);

proves("GL-7", "other sources make the policy stale, and the law stays sound without it", async () => {
  for (const [file, text] of [
    ["config", "version: 1\nbudgets: { files: 6, lines: 100 }\nchecks: []\n"],
    ["features", "features: []\n"],
    ["requirements", "requirements: []\n"],
  ] as const) {
    const { problems, law } = await verifySource(of({ ...whole, [file]: text }), TRUST);
    expect([problems.map(({ code }) => code), law?.policy, law?.lock.rules.length]).toEqual([
      ["policy_stale"],
      null,
      2,
    ]);
    expect(problems[0]?.message).toContain(LAW_FILES[file]);
  }
  expect(await codesOf({ config: "version: one\n" })).toEqual(["config_invalid"]);
});

proves("GL-8", "a signature is checked: taken off, replaced, of another key, or by nobody who counts", async () => {
  const parsed = parsePolicy(whole.policy);
  if (parsed.is !== "whole" || parsed.value.signature === null) throw new Error("the policy is signed");
  const { value: policy } = parsed;
  const signature = parsed.value.signature;
  const other = ownSigner();
  const text = (change: object) => writePolicy({ ...policy, signature: { ...signature, ...change } });
  expect(await codesOf({ policy: writePolicy({ ...policy, signature: null }) })).toEqual(["policy_tampered"]);
  expect(await codesOf({ policy: text({ key: other.key }) })).toEqual(["policy_tampered"]);
  expect(await codesOf({ policy: text({ value: Buffer.alloc(64).toString("base64") }) })).toEqual(["policy_tampered"]);
  expect(await codesOf({ policy: text({ value: `${signature.value} ` }) })).toEqual(["policy_tampered"]);
  expect(await codesOf({ policy: text({ key: `${signature.key}\n` }) })).toEqual(["policy_tampered"]);
  const foreign = await lawTexts(other);
  const unsigned = await lawTexts(null);
  const judge = async (files: Texts, signers: readonly string[]) => {
    const { problems, law } = await verifySource(of(files), { signers });
    return [problems.map(({ code }) => code).join(), law === null];
  };
  expect(await judge(whole, [signature.key])).toEqual(["", false]);
  expect(await judge(foreign, [signature.key])).toEqual(["signer_unknown", true]);
  expect(await judge(unsigned, [signature.key])).toEqual(["signer_unknown", true]);
  expect([await judge(foreign, []), await judge(unsigned, [])]).toEqual(Array(2).fill(["", false]));
});

proves(
  "GL-8",
  "the key that signs checkpoints signs no checkpoint as a law, and nothing of a law is a checkpoint",
  async () => {
    const signer = await lawSigner();
    const checkpoint = `nomos/abcd\n12\n${Buffer.alloc(32).toString("base64")}\n`;
    expect(() => signer.sign(checkpoint)).toThrow(/a checkpoint is signed as one/);
    expect((await lawTexts(signer)).policy).toContain(signer.key);
  },
);

proves(
  "GL-10",
  "denials are told apart by their actions, and what was composed stays while nothing it says changes",
  async () => {
    const { denials } = JSON.parse(whole.policy) as { denials: Record<string, readonly string[]> };
    expect(denials["delete"]).toContain("src/**");
    expect([denials["read"], denials["write"]].every((list) => !list?.includes("src/**"))).toBe(true);
    expect(denials["write"]).toEqual(expect.arrayContaining([".nomos", "**/.env*", ".github/workflows"]));
    const { lock, policy, ...texts } = whole;
    const again = (signer: Signer | null, nowMs: number) => composeFrom(texts, lock, { signer, nowMs, policy });
    expect((await again(null, 99)).text).toBe(policy);
    expect((await again(ownSigner(), 99)).text).not.toBe(policy);
  },
);
