import { expect } from "vitest";
import {
  admission,
  BUSY,
  foldOn,
  IDLE,
  RESTORING,
  running,
  SUSPENDED,
  turnEnd,
} from "../../../test/support/kernel-states.ts";
import { proves } from "../../../test/support/proves.ts";
import { LIMITS, rewindSession, type SessionState } from "../../kernel/index.ts";
import { withSummary } from "./branch-summary.ts";

const POINT = { stream: IDLE.stream, version: 2, eventId: "e2" };
const rewound = (state: SessionState) => rewindSession(state, POINT, state.view);
const ORDER = { turnId: "b", focus: null };
const types = (decision: ReturnType<typeof withSummary>) =>
  "refused" in decision ? decision.refused : decision.map(({ type }) => type);

proves("ENG-16", "the turn of a summary is admitted with the rewind, and names the head before it", () => {
  const worked = foldOn(IDLE, ...running("t"), turnEnd("t"));
  const decided = withSummary(rewound(worked), worked, { ...ORDER, focus: " the tests " });
  expect(decided).toMatchObject([
    { type: "session.rewound@1" },
    { type: "turn.admitted@1", data: { turnId: "b", prompt: `/branch ${worked.headId} the tests`, queued: false } },
  ]);
  expect(types(withSummary(rewound(worked), worked, null))).toEqual(["session.rewound@1"]);
});

proves("ENG-16", "a rewind that is refused admits nothing; one without room for the turn stands alone", () => {
  expect(types(withSummary(rewound(BUSY), BUSY, ORDER))).toBe("session_busy");
  const queued = Array.from({ length: LIMITS.queuedTurnsMax }, (_, index) => admission(`q${index}`));
  const full = foldOn(SUSPENDED, ...queued);
  expect(types(withSummary(rewound(full), full, ORDER))).toEqual(["session.rewound@1"]);
});

proves("ENG-16", "the command is no title, and a restore that ends with the rewind is nothing to queue behind", () => {
  const [, admitted] = withSummary([...running("x")].slice(0, 1), RESTORING, ORDER) as readonly {
    readonly data: object;
  }[];
  expect(admitted?.data).toEqual({
    turnId: "b",
    prompt: expect.any(String),
    blob: null,
    bytes: expect.any(Number),
    queued: false,
  });
});
