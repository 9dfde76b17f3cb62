import fc from "fast-check";
import { expect } from "vitest";
import { jsons } from "../../../test/support/kernel-facts.ts";
import { instant } from "../../../test/support/kernel-model.ts";
import { sha256 } from "../../../test/support/node-sha256.ts";
import { proves } from "../../../test/support/proves.ts";
import { canonicalJson } from "../../kernel/index.ts";
import {
  type ChainFault,
  HASH_BYTES,
  type Header,
  hashData,
  hashEvent,
  headerText,
  hex,
  NO_PREV,
  SALT_BYTES,
  type StoredBytes,
  sameBytes,
  verifyLink,
} from "./chain.ts";

const salts = fc.uint8Array({ minLength: SALT_BYTES, maxLength: SALT_BYTES });
const inputs = fc.array(fc.record({ salt: salts, data: jsons, actor: fc.string({ maxLength: 12 }) }), {
  minLength: 1,
  maxLength: 6,
});

proves("K30", "a chain that was written verifies", () => {
  fc.assert(
    fc.property(inputs, (list) => {
      const chain = written(list);
      expect(chain.map((link, n) => verdict(chain, n, link))).toEqual(chain.map(() => null));
    }),
  );
});

proves("K30", "every changed bit of header, data, salt, prev or hash is found", () => {
  fc.assert(
    fc.property(inputs, (list) => {
      const chain = written(list);
      for (const [n, link] of chain.entries()) {
        const { stored } = link;
        const header = new TextEncoder().encode(stored.header);
        const changes: readonly (readonly [ChainFault, readonly StoredBytes[]])[] = [
          ["prev_mismatch", flips(stored.prev).map((prev) => ({ ...stored, prev }))],
          ["hash_mismatch", flips(header).map((bytes) => ({ ...stored, header: new TextDecoder().decode(bytes) }))],
          ["hash_mismatch", flips(stored.hash).map((hash) => ({ ...stored, hash }))],
          ["data_mismatch", flips(stored.salt ?? NO_PREV).map((salt) => ({ ...stored, salt }))],
          ["data_mismatch", flips(stored.data ?? NO_PREV).map((data) => ({ ...stored, data }))],
        ];
        for (const [fault, bent] of changes)
          for (const changed of bent)
            if (verdict(chain, n, { ...link, stored: changed }) !== fault) expect.fail(`${fault} was not found`);
      }
    }),
    { numRuns: 10 },
  );
});

proves("K30", "a rewritten header, and data that was replaced together with its salt, are found", () => {
  const [link] = written([{ salt: new Uint8Array(SALT_BYTES), data: "said", actor: "operator" }]);
  if (link === undefined) return expect.fail("the chain has an event");
  const header = { ...link.header, actor: "somebody else" };
  const rewritten = { header, stored: { ...link.stored, header: headerText(header) } };
  expect(verdict([link], 0, rewritten)).toBe("hash_mismatch");
  const replaced = { ...link.stored, salt: new Uint8Array(SALT_BYTES).fill(1), data: new TextEncoder().encode("x") };
  expect(verdict([link], 0, { ...link, stored: replaced })).toBe("data_mismatch");
});

proves("K30", "an event that is missing, moved, doubled or in another stream is found", () => {
  fc.assert(
    fc.property(inputs, fc.nat(), fc.nat(), (list, a, b) => {
      const chain = written(list);
      const [from, to] = [a % chain.length, b % chain.length];
      const moved = chain[from] ?? expect.fail("the chain has events");
      if (from !== to) expect(verdict(chain, to, moved)).not.toBeNull();
      const next = chain[from + 1];
      if (next !== undefined) expect(verdict(chain, from, next)).toBe("prev_mismatch");
      const elsewhere = { prev: moved.stored.prev, stream: "session/other", version: from + 1 };
      expect(verifyLink(sha256, elsewhere, moved.stored, moved.header)).toBe("header_mismatch");
      const later = { prev: moved.stored.prev, stream: "session/s", version: from + 2 };
      expect(verifyLink(sha256, later, moved.stored, moved.header)).toBe("header_mismatch");
    }),
  );
});

proves("K30", "a fork's chain continues from its parent's hash: a changed parent breaks its forks", () => {
  const parent = written([{ salt: new Uint8Array(SALT_BYTES), data: {}, actor: "operator" }]);
  const at = parent[0]?.stored.hash ?? expect.fail("the parent has an event");
  const [first] = written([{ salt: new Uint8Array(SALT_BYTES), data: {}, actor: "operator" }], "session/f", at);
  if (first === undefined) return expect.fail("the fork has an event");
  const place = { stream: "session/f", version: 1 };
  expect(verifyLink(sha256, { ...place, prev: at }, first.stored, first.header)).toBeNull();
  expect(verifyLink(sha256, { ...place, prev: NO_PREV }, first.stored, first.header)).toBe("prev_mismatch");
});

proves("K31", "an event with erased data still verifies, and so do all later ones", () => {
  fc.assert(
    fc.property(inputs, fc.infiniteStream(fc.boolean()), (list, erase) => {
      const chain = written(list).map((link) =>
        erase.next().value === true ? { ...link, stored: { ...link.stored, salt: null, data: null } } : link,
      );
      expect(chain.map((link, n) => verdict(chain, n, link))).toEqual(chain.map(() => null));
    }),
  );
});

proves("K31", "an event that lost only its salt or only its data fails verification", () => {
  const [link] = written([{ salt: new Uint8Array(SALT_BYTES), data: "said", actor: "operator" }]);
  if (link === undefined) return expect.fail("the chain has an event");
  for (const half of [{ salt: null }, { data: null }])
    expect(verdict([link], 0, { ...link, stored: { ...link.stored, ...half } })).toBe("data_mismatch");
});

proves("K31", "without the salt, data cannot be guessed from the header", () => {
  fc.assert(
    fc.property(salts, salts, jsons, (one, other, data) => {
      const bytes = new TextEncoder().encode(JSON.stringify(data));
      expect(hashData(sha256, one, bytes) === hashData(sha256, other, bytes)).toBe(sameBytes(one, other));
    }),
  );
});

proves("K30", "byte arrays are compared in full and written in lower-case hex", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
      expect(hex(a)).toBe(Buffer.from(a).toString("hex"));
      expect(sameBytes(a, b)).toBe(Buffer.compare(a, b) === 0);
      expect(sameBytes(a, a.slice())).toBe(true);
    }),
  );
  const bytes = (...all: readonly number[]) => Uint8Array.from(all);
  for (const other of [bytes(1, 2), bytes(1, 2, 3, 4), bytes(0, 2, 3), bytes(1, 0, 3), bytes(1, 2, 0)])
    expect([sameBytes(bytes(1, 2, 3), other), sameBytes(other, bytes(1, 2, 3))]).toEqual([false, false]);
  expect(hex(NO_PREV)).toBe("0".repeat(2 * HASH_BYTES));
});

interface Link {
  readonly header: Header;
  readonly stored: StoredBytes;
}

function written(
  list: readonly { readonly salt: Uint8Array; readonly data: unknown; readonly actor: string }[],
  stream = "session/s",
  first: Uint8Array = NO_PREV,
): readonly Link[] {
  let prev = first;
  return list.map(({ salt, data: value, actor }, n) => {
    const data = new TextEncoder().encode(JSON.stringify(value));
    const dataHash = hashData(sha256, salt, data);
    const header: Header = {
      id: `id-${n}`,
      stream,
      version: n + 1,
      type: "x.note@1",
      at: instant(n),
      actor,
      cause: null,
      dataHash,
    };
    const text = headerText(header);
    expect(text).toBe(canonicalJson({ ...header }));
    const hash = hashEvent(sha256, prev, text);
    const link = { header, stored: { prev, header: text, hash, salt, data } };
    prev = hash;
    return link;
  });
}

function verdict(chain: readonly Link[], n: number, { stored, header }: Link): ChainFault | null {
  return verifyLink(
    sha256,
    { prev: chain[n - 1]?.stored.hash ?? NO_PREV, stream: "session/s", version: n + 1 },
    stored,
    header,
  );
}

function flips(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: 8 * bytes.length }, (_, bit) => {
    const changed = Uint8Array.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return changed;
  });
}
