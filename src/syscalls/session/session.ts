import type { Syscall } from "../define.ts";
import { sessionDelegates } from "./delegates.ts";
import { externalSessions } from "./external.ts";
import { sessionFileCalls } from "./files.ts";
import { sessionHandoff } from "./handoff.ts";
import { sessionLand } from "./land.ts";
import { sessionLife } from "./life.ts";
import { sessionList } from "./list.ts";
import { sessionOffer } from "./offer.ts";
import { sessionRead } from "./read.ts";
import { sessionReplay } from "./replay.ts";
import { sessionSiblings } from "./siblings.ts";
import { sessionStart } from "./start.ts";
import { sessionTalk } from "./talk.ts";
import { sessionHistory } from "./tree/history.ts";
import { sessionMarks } from "./tree/marks.ts";
import { sessionWhy } from "./tree/why.ts";
import { sessionWatch } from "./watch.ts";
import { sessionAmend } from "./work/amend.ts";
import { sessionDrift } from "./work/drift.ts";
import { sessionWork } from "./work/finish.ts";

/** The family `session.*`, in the order of the reference docs. */
export const session: readonly Syscall[] = [
  sessionStart,
  ...sessionTalk,
  ...sessionReplay,
  ...sessionLife,
  ...sessionHistory,
  ...sessionMarks,
  ...sessionOffer,
  sessionList,
  ...sessionRead,
  sessionWatch,
  sessionWhy,
  sessionDelegates,
  ...sessionFileCalls,
  sessionLand,
  ...sessionSiblings,
  sessionHandoff,
  ...sessionWork,
  sessionAmend,
  sessionDrift,
  ...externalSessions,
];
