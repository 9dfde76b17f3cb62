import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { WritePart } from "../log/write-request.ts";
import type { Quota } from "../port.ts";
import { bytesOf, checkQuota, NO_USAGE, sum, totalBytes } from "./quota.ts";

/** A part of events of so many bytes each. */
const part = (stream: string, ...sizes: readonly number[]): WritePart => ({
  ...{ stream, expectedVersion: 0, continues: null, account: stream, rows: [], snapshot: null },
  events: sizes.map((size) => ({
    ...{ id: "", type: "", header: "", salt: "", data: "x".repeat(size), blobs: [], takesFence: null },
  })),
});
const verdict = (
  quota: Partial<Quota>,
  parts: readonly WritePart[],
  { home = 0, used = 0, blobBytes = 0, account = ({ stream }: WritePart): string => stream } = {},
) => {
  const limits = { streamBytes: 1000, homeBytes: 1000, overdraw: false, ...quota };
  const reply = checkQuota(limits, parts, { home, account, used: () => used, blobBytes: () => blobBytes });
  return reply === null ? null : "refused" in reply ? reply.details : "ok";
};

proves("Q1", "an append fits when a stream and the log have room for all of it, to the byte", () => {
  expect(verdict({ streamBytes: 10 }, [part("a", 4, 6)])).toBeNull();
  expect(verdict({ streamBytes: 10 }, [part("a", 4, 7)])).toEqual({ scope: "session", used: 0, limit: 10, needed: 11 });
  expect(verdict({ streamBytes: 10 }, [part("a", 6)], { used: 5 })).toMatchObject({ used: 5, needed: 6 });
  expect(verdict({ streamBytes: 10 }, [part("a", 5)], { used: 5 })).toBeNull();
  expect(verdict({ homeBytes: 10 }, [part("a", 5), part("b", 5)])).toBeNull();
  expect(verdict({ homeBytes: 10 }, [part("a", 5), part("b", 6)])).toEqual({
    ...{ scope: "home", used: 0, limit: 10, needed: 11 },
  });
  expect(verdict({ homeBytes: 10 }, [part("a", 5)], { home: 6 })).toMatchObject({ scope: "home", used: 6 });
  expect(verdict({ homeBytes: 10, besideBytes: 4 }, [part("a", 5)], { home: 2 })).toMatchObject({ used: 6 });
  expect(verdict({ homeBytes: 11, besideBytes: 4 }, [part("a", 5)], { home: 2 })).toBeNull();
});

proves("Q1", "streams of one account share its room, and blobs count where they come first", () => {
  const account = () => "root";
  const both = [part("a", 5), part("b", 5)];
  expect(verdict({ streamBytes: 9 }, both, { account })).toEqual({ scope: "session", used: 5, limit: 9, needed: 5 });
  expect(verdict({ streamBytes: 10 }, both, { account })).toBeNull();
  expect(verdict({ streamBytes: 5 }, both)).toBeNull();
  const three = [...both, part("c", 5)];
  expect(verdict({ streamBytes: 14 }, three, { account })).toMatchObject({ used: 10 });
  expect(verdict({ streamBytes: 11 }, [part("a", 5)], { blobBytes: 7 })).toMatchObject({ needed: 12 });
  expect(verdict({ streamBytes: 12 }, [part("a", 5)], { blobBytes: 7 })).toBeNull();
});

proves("Q1", "output that exists already is accepted while any room is left, and only its last change may pass", () => {
  const overdraw = true;
  expect(verdict({ streamBytes: 10, overdraw }, [part("a", 500)], { used: 9 })).toBeNull();
  expect(verdict({ streamBytes: 10, overdraw }, [part("a", 1)], { used: 10 })).toMatchObject({ scope: "session" });
  expect(verdict({ homeBytes: 10, overdraw }, [part("a", 500)], { home: 9 })).toBeNull();
  expect(verdict({ homeBytes: 10, overdraw }, [part("a", 1)], { home: 10 })).toMatchObject({ scope: "home" });
  expect(verdict({ streamBytes: 10, overdraw, fitting: 1 }, [part("a", 9, 500)])).toBeNull();
  expect(verdict({ streamBytes: 10, overdraw, fitting: 1 }, [part("a", 10, 500)])).toMatchObject({ scope: "session" });
  expect(verdict({ homeBytes: 10, overdraw, fitting: 1 }, [part("a", 10, 500)])).toMatchObject({ scope: "home" });
});

proves("Q1", "bytes are those of the stored text, and sums are member by member", () => {
  expect(bytesOf({ header: "é", data: "abc" })).toBe(5);
  expect(totalBytes({ events: 9, bytes: 2, blobBytes: 3 })).toBe(5);
  expect(sum({ events: 1, bytes: 2, blobBytes: 3 }, { events: 10, bytes: 20, blobBytes: 30 })).toEqual({
    ...{ events: 11, bytes: 22, blobBytes: 33 },
  });
  expect(NO_USAGE).toEqual({ events: 0, bytes: 0, blobBytes: 0 });
});
