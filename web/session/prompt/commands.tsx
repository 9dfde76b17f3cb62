import { SafeText } from "../../text/index.ts";

export interface Command {
  readonly name: string;
  readonly description: string;
}

const SHOWN_MAX = 8;

/** The commands that a beginning such as `/re` may mean. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  const [, word] = /^\/(\S*)$/.exec(text) ?? [];
  if (word === undefined) return [];
  return commands.filter(({ name }) => name.replace(/^\//, "").startsWith(word)).slice(0, SHOWN_MAX);
}

export function commandText({ name }: Command): string {
  return `${name.startsWith("/") ? "" : "/"}${name} `;
}

interface CommandListProps {
  readonly commands: readonly Command[];
  readonly at: number;
  readonly onChoose: (command: Command) => void;
}

export function CommandList({ commands, at, onChoose }: CommandListProps) {
  if (commands.length === 0) return null;
  return (
    <div class="session-commands" id="session-commands" role="listbox" aria-label="Commands of the agent">
      {commands.map((command, index) => (
        <div
          key={command.name}
          id={`session-command-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(command);
          }}
        >
          <code>
            <SafeText text={commandText(command).trim()} oneLine />
          </code>{" "}
          <span class="muted">
            <SafeText text={command.description} oneLine />
          </span>
        </div>
      ))}
    </div>
  );
}
