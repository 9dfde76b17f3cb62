/** By figure: what a profile showed where an aim was missed, and what would meet it. Shown only while it is missed. */
export const FINDINGS: { readonly [figure: string]: string } = {
  "agent-turn.first-token":
    "three quarters of what is added is the admission: the request, the gate, the fold and one flush, on a daemon that had nothing to do for most of a second before; asked without such pauses it takes less than half of it. The turn's start is in the same append by now.",
  "append.64":
    "the writer thread is what there is to wait for: it hardly ever idles, and spends about half its time in COMMIT. Of the pages that a commit writes two thirds belong to the index by stream and version, one for each writer, as in the baseline; a session's row is no longer among them unless it changed. Where flushes are short, two halves of the writers take turns (see `append.64.flushes`: 1.3 to 1.4 of what one flush a round would be), because one half prepared during the other's flush measured a tenth more than one flush for all. Runs on busy cores measured anything from 0.3 to 0.7: a difference of a few hundredths says nothing there.",
  "ack.5000":
    "the tail belongs to whatever else the disk and the cores are doing: compare the load average, and the baseline, a bare flush in the same run. Before folds were kept more often and bursts were halved, with nothing else on the machine's cores and flushes that cost nothing the p99 is 3.3 ms (2.8 ms without checkpoints), half of it the lateness of the timer that offers the load; garbage collection took at most 3.5 ms at a time.",
  "show-session":
    "two fifths of the server's time is the socket's write, which wakes the client; the largest part of our own is the point read of the session's row (a tenth: SQLite's two locks, the check sum, parsing), then the login's hash and the gate. Since an answer also says what the session takes up there are two more point reads. A cache of rows in the store, filled by the append that wrote them, once measured a quarter less processor time for each request.",
  "fork.head":
    "it costs what the fork of a new session costs (see the ratio): the request, one flush and the answer. The length of the history has no part in it; a slow disk or busy cores do.",
  "fork.middle":
    "the first fork at a point in the past reads, checks and folds up to 127 events; the next ones find that fold in memory and cost what every fork costs.",
  "hibernated.10000.memory":
    "what is alive comes to 28 MB, SQLite's page caches to at most 36 MB. The rest is room that V8 took while the turns ran and does not give back, although it is told to grow slowly.",
};
