/** By figure: what a profile showed where an aim was missed, and what would meet it. Shown only while it is missed. */
export const FINDINGS: { readonly [figure: string]: string } = {
  "agent-turn.first-token":
    "most of what is added is the admission: the request, the gate, the fold and one flush, on a daemon that had nothing to do for most of a second before, so that its code and its threads are cold. The turn's start is in the same append; the files and the agent's processes are looked at while it is flushed, and the turn's port is made meanwhile. The flush and the wake-ups of the threads are what is left.",
  "append.64":
    "the writer thread is what there is to wait for: it hardly ever idles, and spends about half its time in COMMIT. Of the pages that a commit writes two thirds belong to the index by stream and version, one for each writer, as in the baseline; a session's row is no longer among them unless it changed. Where flushes are short, two halves of the writers take turns (see `append.64.flushes`: 1.3 to 1.4 of what one flush a round would be), because one half prepared during the other's flush measured a tenth more than one flush for all. Runs on busy cores measured anything from 0.3 to 0.7: a difference of a few hundredths says nothing there.",
  "ack.5000":
    "the tail belongs to whatever else the disk and the cores are doing: compare the load average, and the baseline, a bare flush in the same run. Before folds were kept more often and bursts were halved, with nothing else on the machine's cores and flushes that cost nothing the p99 is 3.3 ms (2.8 ms without checkpoints), half of it the lateness of the timer that offers the load; garbage collection took at most 3.5 ms at a time.",
  "drift.live":
    "measured beside other test runs on both cores, where one `git status` took 290 ms; alone it takes 90. Compare the ratio: git reads the files' times and lists what is not tracked in two processes at once, and starts some more.",
  "drift.committed":
    "measured beside other test runs on both cores, where one `git status` took 290 ms; alone it takes 90. Compare the ratio: git reads the files' times and lists what is not tracked in two processes at once, and starts some more.",
  "drift.clone":
    "measured beside other test runs on both cores, where one `git status` took 290 ms; alone it takes 90. Compare the ratio: git reads the files' times and lists what is not tracked in two processes at once, and starts some more.",
  "radar.core":
    "not profiled yet. Git is started for each look at a worktree (a reading of its base and a commit) and for each pair (a merge and two diffs), and takes longer the more else runs on the machine: measured beside other test runs, where one `git status` took 247 ms. An earlier run, with 134 ms for one `git status`, had 89 ms. Compare the ratio, which was lower in this run.",
  "show-session":
    "a third of the server's time was the socket's write, which wakes the client for each answer: answers to requests that arrive together are now sent together, which alone halved the processor time. The point reads (a sixth) are kept until the next write, the gate walks no tree where only the default rule speaks, and the operator's token is compared without a hash. What is left is Node's HTTP (two fifths), hono (a seventh), garbage and our own checks.",
  "fork.head":
    "it costs what the fork of a new session costs (see the ratio): the request, one flush and the answer. The length of the history has no part in it; a slow disk or busy cores do.",
  "fork.middle":
    "the first fork at a point in the past reads, checks and folds up to 127 events; the next ones find that fold in memory and cost what every fork costs.",
  "audit.export":
    "of about 4 us an event, two fifths are SQLite's (reading the page of events as one row, and its size first), a third is writing the lines byte by byte, a tenth the search for events that name blobs. What is left of writing and flushing runs beside it.",
  "worktree.work":
    "git compares every file with the index (as `git status` does), lists what is not tracked, and `find` looks for nested repositories; these run at the same time, so on two cores the sum of the processor time counts. A start of git takes a few milliseconds, and there are four.",
  "hibernated.10000.memory":
    "what is alive comes to 28 MB, SQLite's page caches to at most 36 MB. Once the daemon idles a full collection gives back what V8 took, and the reader thread ends. A third of what there was came from hashes that the writer keeps, each of which held the slab of buffers it was cut from, and from young garbage of the threads, which V8 lets grow to 48 MB each; both are bounded now. The rest is page caches and what the allocator keeps.",
  "daemon-start.100000":
    "without a session it takes about 260 ms on quiet cores, of which the main thread works nearly all: Node's own start 30, the compiled bundle 60, Node's fetch, which its http brings, 30, zod's shapes 45, garbage 20, the lock and the look at the home 15, building and listening 60. The writer's thread starts first and is ready before it is needed. With 100,000 sessions a hundred more: the writer compares the index of stream names with its table before it writes (a stream that cannot be found would be begun a second time), and the tail of the tree is checked.",
  "daemon-start.memory":
    "half of it is the pages of the Node program itself, which all Nodes share; some 20 MB are alive in the main thread, 8 MB in the writer's.",
  "peers.sandbox-agent.start":
    "sandbox-agent is one native program that opens no log. Ours loads a Node and its code, opens and checks the log, and takes the lease before it answers.",
  "peers.sandbox-agent.memory":
    "a native program that keeps nothing, against three threads of V8 and SQLite's page caches.",
  "peers.sandbox-agent.prompt":
    "sandbox-agent passes the agent's lines on. Ours flushes the prompt and the outcome of the turn to the log, and looks at the session's files when the turn ends.",
  "peers.sandbox-agent.first-turn":
    "both start the same agent. Ours also puts it into a pid namespace, flushes the session and its turn, and takes the first snapshot of its files.",
};
