import type { Session } from "../../client/index.ts";
import type { Choice } from "../screen/picker.ts";
import { needingFirst } from "../sessions/choose.ts";
import { exportSession } from "./export-session.ts";
import type { SlashCommands, SlashContext } from "./slash-context.ts";

/** This session and the others. */
export const SESSION_COMMANDS: SlashCommands = {
  session: {
    usage: "/session [NAME]",
    summary: "go to another session, by name or from a list; this one goes on",
    run: async (context, name) => {
      const { client, goTo } = context;
      if (name !== "") return goTo(await client.call("session.show", { id: name }), false);
      const { sessions } = await client.call("session.list", { onlyAlive: true, limit: LISTED_MAX });
      const chosen = await context.pick<Session | "new">({
        title: "Go to the session",
        choices: [
          { value: "new", text: "a new session", hint: `${context.session.agent} in ${context.session.cwd}` },
          ...needingFirst(sessions).map((session) => choiceOf(session, context.id)),
        ],
        how: "/session NAME goes to one, /new starts one.",
      });
      if (chosen === "new") await startAnother(context);
      else if (chosen !== null) goTo(chosen, false);
    },
  },
  new: {
    usage: "/new",
    summary: "start a new session with the same agent, in the same directory",
    run: startAnother,
  },
  rename: {
    usage: "/rename TITLE",
    summary: "give the session another title",
    run: async ({ client, id, print }, title) => {
      if (title === "") return print(["Name the title: /rename Fix the login test"]);
      await client.call("session.rename", { id, title });
      print([`It is called "${title}" now.`]);
    },
  },
  export: {
    usage: "/export [FILE]",
    summary: "write the session to a file: Markdown, or its events as .jsonl",
    run: async (context, file) => context.print([await exportSession(context, file)]),
  },
  detach: { usage: "/detach", summary: "leave; the session goes on", run: ({ detach }) => detach() },
  quit: { usage: "/quit", summary: "the same", run: ({ detach }) => detach() },
};

const LISTED_MAX = 200;

async function startAnother({ client, session, goTo }: SlashContext): Promise<void> {
  const { adapterSlug, agent, cwd, id } = session;
  const { chosen } = await client.call("session.offer", { id });
  const model = chosen?.model ?? null;
  const started = await client.call("session.start", {
    ...{ adapter: adapterSlug, agent, cwd },
    ...(model === null ? {} : { model }),
  });
  goTo(started, true);
}

function choiceOf(session: Session, current: string): Choice<Session> {
  const { id, name, agent, state, waitingFor, title = "" } = session;
  const doing = waitingFor === "approval" ? "needs you" : state;
  return {
    value: session,
    text: name,
    hint: `${agent}, ${doing}${title === "" ? "" : `: ${title}`}`,
    isCurrent: id === current,
  };
}
