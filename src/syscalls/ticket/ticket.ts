import type { Syscall } from "../define.ts";
import { ticketChange } from "./change.ts";
import { ticketLease } from "./lease.ts";
import { ticketList } from "./list.ts";
import { ticketProof } from "./proof.ts";
import { ticketShow } from "./show.ts";
import { ticketSurvey } from "./survey.ts";

/** Governed work: tickets are files of the default branch; status, lease and evidence are refs beside them. */
export const ticket: readonly Syscall[] = [
  ticketList,
  ...ticketSurvey,
  ticketShow,
  ticketProof,
  ...ticketChange,
  ...ticketLease,
];
