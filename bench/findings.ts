/** By figure: what a profile showed where an aim was missed, and what would meet it. Shown only while it is missed. */
export const FINDINGS: { readonly [figure: string]: string } = {
  "agent-turn.first-token":
    "three quarters of what is added is the admission: the request, the gate, the fold and one flush, on a daemon that had nothing to do for most of a second before; asked without such pauses it takes less than half of it. The turn's start is in the same append by now.",
  "append.64":
    "the writer thread is what there is to wait for: it hardly ever idles, and spends about half its time in COMMIT. Where flushes are short, two halves of the writers take turns (see `append.64.flushes`: 1.3 to 1.4 of what one flush a round would be), because one half prepared during the other's flush measured a tenth more than one flush for all. Runs on busy cores measured anything from 0.3 to 0.7: a difference of a few hundredths says nothing there.",
  "ack.5000":
    "the tail belongs to whatever else the disk and the cores are doing: compare the load average, and the baseline, a bare flush in the same run. Before folds were kept more often and bursts were halved, with nothing else on the machine's cores and flushes that cost nothing the p99 is 3.3 ms (2.8 ms without checkpoints), half of it the lateness of the timer that offers the load; garbage collection took at most 3.5 ms at a time.",
  "show-session":
    "two fifths of the server's time is the socket's write, which wakes the client; the largest part of our own is the point read of the session's row (a tenth: SQLite's two locks, the check sum, parsing), then the login's hash and the gate. Since an answer also says what the session takes up there are two more point reads. A cache of rows in the store, filled by the append that wrote them, once measured a quarter less processor time for each request.",
  "fork.head":
    "it costs what the fork of a new session costs (see the ratio): the request, one flush and the answer. The length of the history has no part in it; a slow disk or busy cores do.",
  "fork.middle":
    "the fold as of a point in the past is made anew each time: up to 127 events are read, checked and folded at 11 us each (a fifth SQLite, a seventh SHA-256, a tenth garbage collection), 1.4 ms in all. The rest is what every fork costs.",
  "audit.export":
    "of about 4 us an event, two fifths are SQLite's (reading the page of events as one row, and its size first), a third is writing the lines byte by byte, a tenth the search for events that name blobs. What is left of writing and flushing runs beside it.",
  "worktree.work":
    "git compares every file with the index (as `git status` does), lists what is not tracked, and `find` looks for nested repositories; these run at the same time, so on two cores the sum of the processor time counts. A start of git takes a few milliseconds, and there are four.",
  "hibernated.10000.memory":
    "what is alive comes to 28 MB, SQLite's page caches to at most 36 MB. The rest is room that V8 took while the turns ran and does not give back, although it is told to grow slowly.",
};
