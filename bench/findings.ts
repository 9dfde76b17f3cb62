/** By figure: what a profile showed where an aim was missed, and what would meet it. Shown only while it is missed. */
export const FINDINGS: { readonly [figure: string]: string } = {
  "append.64":
    "the writer thread spends half its time in COMMIT and an eighth in checkpoints. 64 writers come to two flushes a round instead of one (see `append.64.flushes`), because the first 16 requests are sent ahead of the rest. On the callers' thread a fifth of the time goes into drawing each event's salt from the system. One flush a round together with salts drawn for many events at once measured a tenth more. Where a flush costs nothing (tmpfs) the ratio falls to 0.2: there the fold, two hashes, the row and two hops between threads are all there is.",
  "ack.5000":
    "the tail is the disk's: compare the baseline, a bare flush in the same run. With nothing else on the machine's cores and flushes that cost nothing the p99 is 3.3 ms (2.8 ms without checkpoints), half of it the lateness of the timer that offers the load; garbage collection took at most 3.5 ms at a time.",
  "show-session":
    "two fifths of the server's time is the socket's write, which wakes the client; the largest part of our own is the point read of the session's row (a tenth: SQLite's two locks, the check sum, parsing), then the login's hash and the gate. A cache of rows in the store, filled by the append that wrote them, measured a quarter less processor time for each request.",
  "fork.head":
    "it costs what the fork of a new session costs (see the ratio): the request, one flush and the answer. The length of the history has no part in it; a slow disk or busy cores do.",
  "fork.middle":
    "the fold as of a point in the past is made anew each time: up to 511 events are read, checked and folded at 10 to 17 us each (three tenths SQLite's row iterator, a fifth SHA-256). Folds kept every 128 events would bound it to a quarter; reading a page of rows in one call instead of one by one takes off the iterator.",
  "hibernated.10000.memory":
    "what is alive comes to 28 MB. The rest is room that V8 took while the turns ran and does not give back (the young generation grows to 128 MB on a machine with memory to spare, the old one to 120 MB), and SQLite's page caches (64 + 32 + 32 + 16 MB). `v8.setFlagsFromString` with `--semi-space-growth-factor=1` and `--heap-growing-percent=30` before the daemon starts measured 232 MB at the same speed; page caches of 8, 4 and 4 MB on top of it 190 MB.",
};
