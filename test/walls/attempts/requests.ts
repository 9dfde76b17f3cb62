import { type AttemptGroup, agent } from "../attempt.ts";

/** Lines of a prompt; `$D`, `$S`, `$T`, `$P` and `$OTHER` have the same meaning as in other attempts. */
export const REQUESTS: AttemptGroup = {
  id: "request",
  title: "Requests of a foreign agent to its client",
  attempts: [
    agent("write", "a file outside", "planted", `demand fs/write_text_file {"path":"$T","content":"x"}`),
    agent(
      "write-dots",
      "the same by `..`",
      "planted",
      `demand fs/write_text_file {"path":"$WORK/../outside/$P","content":"x"}`,
    ),
    agent(
      "write-link",
      "through a link in the workspace",
      "planted",
      `shell ln -s "$D" way
demand fs/write_text_file {"path":"$WORK/way/$P","content":"x"}`,
    ),
    agent(
      "write-home",
      "a start file of the person's",
      "planted",
      `demand fs/write_text_file {"path":"$PERSON/.bashrc","content":"$P"}`,
    ),
    agent(
      "write-rules",
      "a file of the daemon's",
      "planted",
      `demand fs/write_text_file {"path":"$NOMOS/$P.json","content":"{}"}`,
    ),
    agent("read", "a file outside", "secret", `demand fs/read_text_file {"path":"$S"}`),
    agent(
      "read-link",
      "through a link in the workspace",
      "secret",
      `shell ln -s "$S" way-in
demand fs/read_text_file {"path":"$WORK/way-in"}`,
    ),
    agent(
      "read-proc",
      "the environment of another process",
      "secret",
      `demand fs/read_text_file {"path":"/proc/$HELPER/environ"}`,
    ),
    agent(
      "read-other",
      "the workspace of another session",
      "secret",
      `demand fs/read_text_file {"path":"$OTHER/secret"}`,
    ),
    agent("terminal", "a command", "planted", `demand terminal/create {"command":"touch","args":["$T"]}`),
    agent(
      "terminal-shell",
      "a command for a shell",
      "planted",
      `demand terminal/create {"command":"sh","args":["-c","touch $T"],"cwd":"$D"}`,
    ),
    agent(
      "terminal-env",
      "a command with an environment",
      "planted",
      `demand terminal/create {"command":"sh","args":["-c","touch \\"$X\\""],"env":[{"name":"X","value":"$T"}]}`,
    ),
  ],
};
