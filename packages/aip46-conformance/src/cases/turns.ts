import { readdir, readFile } from "node:fs/promises";
import { eventually, expect, member } from "../expect.ts";
import type { Case } from "./case.ts";
import { isError } from "./trial.ts";

const isTurnEnd = (line: string): boolean => /turn-end/.test(line);

/** Prompts, interrupts, kills. */
export const turnCases: readonly Case[] = [
  {
    number: 7,
    title: "a prompt in the spawn is a prompt",
    run: async ({ spawn, output, bench, unique }) => {
      const word = unique("first");
      const { id } = await spawn({ prompt: bench.prompts.say(word) });
      await eventually("a turn-end line", async () => (await output(id)).some(isTurnEnd));
      expect(
        (await output(id)).some((line) => line.includes(word)),
        "the agent was not given the prompt",
      );
    },
  },
  {
    number: 8,
    title: "a second prompt to a busy session is 409, and the first goes on",
    run: async ({ spawn, prompt, bench, output, post }) => {
      const { id } = await spawn();
      expect((await prompt(id, bench.prompts.work())).status === 200, "the first prompt is refused");
      isError(await prompt(id, bench.prompts.say("no")), 409);
      expect(!(await output(id)).some(isTurnEnd), "the running turn was ended");
      const { body } = await post(`/sessions/${id}/interrupt`);
      expect(member(body, "wasBusy") === true, "the first turn no longer runs");
    },
  },
  {
    number: 9,
    title: "of two prompts at the same moment one is taken",
    run: async ({ spawn, status, prompt, bench, post }) => {
      const { id } = await spawn();
      await status(id, "running");
      const answers = await Promise.all([1, 2].map(() => prompt(id, bench.prompts.work())));
      const statuses = answers.map((answer) => answer.status).sort((one, other) => one - other);
      await post(`/sessions/${id}/interrupt`);
      expect(statuses.join() === "200,409", `answered with ${statuses.join(" and ")}`);
    },
  },
  {
    number: 10,
    title: "`interrupt: true` ends the running turn and runs the new one, in the same session",
    run: async ({ spawn, prompt, turn, bench, output, unique, show, idle }) => {
      const { id } = await spawn();
      const [word, said] = [unique("kept"), unique("after")];
      await turn(id, bench.prompts.remember(word), "turn-end");
      await prompt(id, bench.prompts.work());
      const answer = await prompt(id, bench.prompts.say(said), { interrupt: true });
      expect(answer.status === 200, `answered with ${answer.status}`);
      await eventually("the new prompt runs", async () => (await output(id)).some((line) => line.includes(said)));
      await eventually("both turns end", async () => (await output(id)).filter(isTurnEnd).length === 3);
      expect((await show(id)).status === "running", "it is no longer running");
      await idle(id);
      await turn(id, bench.prompts.recall(), word);
    },
  },
  {
    number: 11,
    title: "`interrupt: true` to an idle session is a plain prompt",
    run: async ({ spawn, status, prompt, bench, output, unique }) => {
      const { id } = await spawn();
      await status(id, "running");
      const word = unique("plain");
      expect((await prompt(id, bench.prompts.say(word), { interrupt: true })).status === 200, "it is refused");
      await eventually("the turn ends", async () => (await output(id)).some(isTurnEnd));
      const lines = await output(id);
      expect(lines.filter(isTurnEnd).length === 1, "there is another turn");
      expect(
        lines.some((line) => line.includes(word)),
        "the prompt did not run",
      );
    },
  },
  {
    number: 12,
    title: "an interrupt ends the turn and nothing else",
    run: async ({ spawn, prompt, turn, bench, post, show, unique }) => {
      const { id } = await spawn();
      const word = unique("context");
      await turn(id, bench.prompts.remember(word), "turn-end");
      await prompt(id, bench.prompts.work());
      const { status, body } = await post(`/sessions/${id}/interrupt`);
      expect(status === 200 && member(body, "ok") === true, `answered with ${status}`);
      expect(
        member(body, "id") === id && member(body, "wasBusy") === true,
        "the answer is not {ok, id, wasBusy: true}",
      );
      expect((await show(id)).status === "running", "the session is no longer running");
      await turn(id, bench.prompts.recall(), word);
    },
  },
  {
    number: 13,
    title: "an interrupt of what does not run is no error; of what is not there, it is",
    run: async ({ spawn, status, post }) => {
      const { id } = await spawn();
      await status(id, "running");
      const idle = await post(`/sessions/${id}/interrupt`);
      expect(idle.status === 200 && member(idle.body, "wasBusy") === false, "an idle session is not wasBusy: false");
      await post(`/sessions/${id}/kill`);
      const killed = await post(`/sessions/${id}/interrupt`);
      expect(killed.status === 200 && member(killed.body, "wasBusy") === false, `a killed one: ${killed.status}`);
      isError(await post("/sessions/01900000-0000-7000-8000-00000000dead/interrupt"), 404);
    },
  },
  {
    number: 14,
    title: "an interrupt that the adapter cannot carry out is 409, and the turn goes on",
    needs: ["uncancellable"],
    run: async ({ bench, adopt, post, output }) => {
      const id = adopt((await bench.uncancellable?.()) ?? "");
      isError(await post(`/sessions/${id}/interrupt`), 409);
      expect(!(await output(id)).some(isTurnEnd), "the turn was ended");
    },
  },
  {
    number: 15,
    title: "a later prompt finds the context of an earlier one, in the same process",
    run: async ({ spawn, turn, bench, unique }) => {
      const { body, remember, recall } = bench.memory;
      const { id } = await spawn(body);
      const word = unique("word");
      await turn(id, remember(word), "turn-end");
      await turn(id, recall(), word);
    },
  },
  {
    number: 16,
    title: "a kill takes the whole process tree; a second one says so",
    needs: ["machine"],
    run: async ({ spawn, prompt, bench, post, show, unique }) => {
      const { id } = await spawn();
      const mark = unique("tree");
      await prompt(id, bench.prompts.breed(mark));
      await eventually("its processes run", async () => (await marked(mark)) > 0);
      const { status, body } = await post(`/sessions/${id}/kill`);
      expect(status === 200 && member(body, "ok") === true && member(body, "id") === id, `answered with ${status}`);
      const after = await show(id);
      expect(after.status === "killed" && after.endedAt !== undefined, `it is ${after.status}`);
      expect((await marked(mark)) === 0, "processes of it are left");
      const second = await post(`/sessions/${id}/kill`);
      expect(second.status === 200 && member(second.body, "ok") === false, `a second kill: ${second.status}`);
    },
  },
];

/** How many processes on this machine have the mark on their command line. */
async function marked(mark: string): Promise<number> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return lines.filter((line) => line.includes(mark)).length;
}
