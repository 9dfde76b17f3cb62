import { type Client, ClientError } from "../../client/index.ts";
import { counted } from "../print/spell.ts";
import { bold, dim, red, type Text } from "../screen/styled.ts";
import { OWN_DRIVER, type SlashCommands, type SlashContext } from "./slash-context.ts";

/** The agent: its model, its mode, its login. */
export const AGENT_COMMANDS: SlashCommands = {
  model: {
    usage: "/model [NAME]",
    summary: "choose the model from the next turn on, by name or from a list",
    run: async (context, name) => {
      const { client, id, print } = context;
      const { current, models } = await modelsOf(context);
      if (name === "" && models.length === 0)
        return print([current === "" ? "The agent has not said which models it has." : `The model is ${current}.`]);
      const model = name === "" ? await pickOf(context, "model", current, models) : name;
      if (model === null) return;
      await client.call("session.configure", { id, model });
      print([`The next turn uses the model ${model}.`]);
    },
  },
  mode: {
    usage: "/mode [NAME]",
    summary: "choose the agent's mode from the next turn on",
    run: async (context, name) => {
      const { client, id, print } = context;
      const { offer, chosen } = await client.call("session.offer", { id });
      const current = chosen?.mode ?? offer?.mode ?? "";
      const modes = (offer?.modes ?? []).map((one) => ({ name: one.id, hint: one.name }));
      if (name === "" && modes.length === 0)
        return print([current === "" ? "The agent has not said which modes it has." : `The mode is ${current}.`]);
      const mode = name === "" ? await pickOf(context, "mode", current, modes) : name;
      if (mode === null) return;
      await client.call("session.configure", { id, mode });
      print([`The next turn uses the mode ${mode}.`]);
    },
  },
  auth: {
    usage: "/auth",
    summary: "show which agents and models are ready, and what to do for the others",
    run: async (context) => {
      const [agents, models] = await Promise.all([agentLines(context), modelLines(context.client)]);
      context.print([bold("agents"), ...agents, bold("models of the agent nomos"), ...models]);
    },
  },
  reload: {
    usage: "/reload",
    summary: "let the agent start anew: settings, tools and commands are read again",
    run: async ({ client, id, print, rereadCommands }) => {
      const { busy } = await client.call("session.show", { id });
      if (busy) return print(["A turn runs. Send /reload when it has ended, or interrupt it with Ctrl-C."]);
      await client.call("session.hibernate", { id });
      const [{ agents }, { models }, commands] = await Promise.all([
        client.call("agent.list", {}),
        client.call("model.list", {}),
        rereadCommands(),
      ]);
      print([
        `Read again: ${counted(agents.length, "agent")}, ${counted(models.length, "model")}, ${counted(commands, "command")} of the agent.`,
        "With your next prompt the agent starts anew, with its settings, tools and instructions as they are then.",
        dim("A config.json that was edited by hand needs: nomos restart"),
      ]);
    },
  },
};

interface Named {
  readonly name: string;
  readonly hint: string;
}

async function pickOf(
  { pick }: SlashContext,
  kind: string,
  current: string,
  named: readonly Named[],
): Promise<string | null> {
  return pick({
    title: `Choose the ${kind}`,
    choices: named.map(({ name, hint }) => {
      const isCurrent = name === current;
      return { value: name, text: `${isCurrent ? "* " : "  "}${name}`, hint, isCurrent };
    }),
    how: `/${kind} NAME chooses one.`,
  });
}

async function modelsOf({
  client,
  id,
  session,
}: SlashContext): Promise<{ readonly current: string; readonly models: readonly Named[] }> {
  const { offer, chosen } = await client.call("session.offer", { id });
  if (session.adapterSlug === OWN_DRIVER) {
    const listed = await client.call("model.list", {});
    const models = listed.models.map(({ name, window, key }) => ({
      name,
      hint: `${Math.round(window / 1000)}k${key !== null && !key.isThere ? `, no key in ${key.source}` : ""}`,
    }));
    return { current: chosen?.model ?? listed.default ?? "", models };
  }
  const models = offer?.options.find(({ category, id: option }) => category === "model" || option === "model");
  return {
    current: chosen?.model ?? String(models?.current ?? ""),
    models: (models?.values ?? []).map((name) => ({ name, hint: "" })),
  };
}

async function agentLines({ client, session }: SlashContext): Promise<readonly Text[]> {
  const { drivers } = await client.call("driver.list", {});
  const widest = Math.max(...drivers.map(({ slug }) => slug.length));
  const listed = drivers.map(({ slug, installed, protocol }) => {
    if (installed) return `  ${slug.padEnd(widest)}  ${protocol === "own" ? "built in" : "installed"}`;
    return dim(`  ${slug.padEnd(widest)}  not installed: nomos driver install ${slug}`);
  });
  const own = drivers.find(({ slug }) => slug === session.adapterSlug);
  return own === undefined || own.protocol === "own" ? listed : [...listed, ...(await checked(client, own.slug))];
}

/** Starts the agent briefly and asks how it is logged in; calls no model. */
async function checked(client: Client, slug: string): Promise<readonly Text[]> {
  try {
    const { ok, version, problem, agent } = await client.call("driver.check", { slug });
    if (!ok)
      return [
        red(`  ${slug}: ${problem?.message ?? "does not start"}`),
        ...(problem?.steps ?? []).map((s) => `    ${s}`),
      ];
    const logins = (agent?.authMethods ?? []).map(({ name, description }) => `    log in: ${name}. ${description}`);
    return [`  ${slug} ${version ?? ""} starts.`, ...logins];
  } catch (thrown) {
    if (!(thrown instanceof ClientError)) throw thrown;
    return [red(`  ${slug}: ${thrown.message} ${thrown.remedy}`)];
  }
}

async function modelLines(client: Client): Promise<readonly Text[]> {
  const { models, default: chosen } = await client.call("model.list", {});
  const providers = Map.groupBy(models, ({ name }) => name.split("/")[0] ?? name);
  const listed = [...providers].map(([provider, own]) => {
    const key = own[0]?.key ?? null;
    const count = counted(own.length, "model");
    if (key === null) return `  ${provider.padEnd(12)} ${count}, needs no key`;
    if (key.isThere) return `  ${provider.padEnd(12)} ${count}, key from ${key.source}`;
    return red(`  ${provider.padEnd(12)} ${count}, no key in ${key.source}: see nomos model add --help`);
  });
  const how = chosen === null ? "No model is the default. Add one: nomos model add NAME" : `The default is ${chosen}.`;
  return [...listed, dim(`  ${how}`)];
}
