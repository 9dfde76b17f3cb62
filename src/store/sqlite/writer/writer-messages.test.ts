import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import {
  NOTHING,
  type WriteEvent,
  type WritePart,
  type WriteReply,
  type WriteRequest,
} from "../../log/write-request.ts";
import { packReply, packRequest, unpackReply, unpackRequest } from "./writer-messages.ts";

const EVENT: WriteEvent = { id: "i", type: "t", header: "h", salt: "s", data: "d", blobs: [], takesFence: null };
const PART: WritePart = {
  ...{ stream: "a", expectedVersion: 3, continues: null, account: "a", snapshot: null },
  events: [EVENT],
  rows: [],
};
const PLAIN: WriteRequest = { ...NOTHING, fence: 7, parts: [PART] };

proves("LOG-2", "every member of a request reaches the writer's thread as it was sent", () => {
  const erase = { stream: "a", events: [{ id: "i", blobs: ["b"] }], rows: [{ list: "l", id: "i" }] };
  const repair = { streams: [], remove: [], calls: [], blobs: [], reindex: true, recount: false };
  const full: Partial<WriteRequest> = {
    call: { key: "k", request: "r" },
    quota: { streamBytes: 1, homeBytes: 2, overdraw: true, besideBytes: 3, fitting: 4 },
    expect: [{ stream: "b", version: 5 }],
  };
  const part: WritePart = {
    ...PART,
    account: "root",
    continues: { stream: "p", version: 2 },
    events: [EVENT, { ...EVENT, id: "j", blobs: ["x", "y"], takesFence: 9 }, { ...EVENT, id: "k", blobs: ["x"] }],
    rows: [
      { list: "l", id: "i", columns: ["c", 1, null], row: "{}" },
      { list: "l", id: "j", columns: [], row: null },
    ],
    snapshot: "{}",
  };
  const sent: readonly WriteRequest[] = [
    PLAIN,
    { ...PLAIN, ...full, parts: [part, PART] },
    ...[{ erase }, { repair }, { scrub: true }, { sweep: ["b"] }, { vacuumPages: 1 }].map((more) => ({
      ...PLAIN,
      ...more,
    })),
    { ...PLAIN, cursor: { name: "f", at: null } },
    {
      ...PLAIN,
      scrub: true,
      sweep: ["b"],
      vacuumPages: 8,
      erase,
      repair,
      cursor: { name: "f", at: { seq: 1, id: "i" } },
    },
  ];
  for (const request of sent) expect(unpackRequest(structuredClone(packRequest(request)))).toEqual(request);
  const few = { streamBytes: 1, homeBytes: 2, overdraw: false };
  expect(unpackRequest(packRequest({ ...PLAIN, quota: few })).quota).toEqual({ ...few, besideBytes: 0, fitting: 0 });
});

proves("LOG-2", "every reply of the writer's thread arrives as it was given", () => {
  const ok = [1, 2].map((seq) => ({ seq, prev: `p${seq}`, hash: `h${seq}` }));
  const replies: readonly WriteReply[] = [
    { ok, unscrubbed: null },
    { ok: [], unscrubbed: null },
    { ok, unscrubbed: "overloaded" },
    { refused: "stale_fence", details: { fence: 1 } },
  ];
  for (const reply of replies) expect(unpackReply(structuredClone(packReply(reply)))).toEqual(reply);
});
