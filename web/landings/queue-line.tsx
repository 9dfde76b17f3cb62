import { confirmed, nomos, toast, useAction } from "../frame/index.ts";
import { inFrontOf, type Landing, LandingCard, type Line } from "../landing/index.ts";
import { Button } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";

interface LineProps {
  readonly line: Line;
  readonly current: string | null;
  readonly open: string | null;
  readonly onToggle: (id: string) => void;
  readonly onChange: () => void;
}

/** The queue of one branch, in its order. */
export function QueueLine({ line, current, open, onToggle, onChange }: LineProps) {
  const { into, repository, landings } = line;
  return (
    <section class="landing-line" aria-label={`Queue of ${into}`}>
      <h2>
        <SafeText text={into} oneLine strict />{" "}
        <span class="muted landing-repository">
          <SafeText text={repository} oneLine strict />
        </span>
      </h2>
      <ol class="landing-list" aria-label={`Landings of ${into}, in order`}>
        {landings.map((landing) => (
          <LandingCard
            key={landing.id}
            landing={landing}
            isCurrent={landing.id === current}
            isOpen={landing.id === open}
            onToggle={() => onToggle(landing.id)}
          >
            <Deeds landing={landing} line={line} onChange={onChange} />
          </LandingCard>
        ))}
      </ol>
    </section>
  );
}

interface DeedsProps {
  readonly landing: Landing;
  readonly line: Line;
  readonly onChange: () => void;
}

function Deeds({ landing, line, onChange }: DeedsProps) {
  const { run, isRunning } = useAction();
  const { id, sessionName, state, held } = landing;
  const before = inFrontOf(landing, line);
  const act = async (work: () => Promise<unknown>, said: string): Promise<void> => {
    if ((await run(work)) === undefined) return;
    toast(said);
    onChange();
  };
  return (
    <div class="landing-deeds">
      {before !== null && (
        <Button
          disabled={isRunning}
          onClick={() =>
            void act(() => nomos().call("landing.move", { id, before: before.id }), `${sessionName} goes first.`)
          }
        >
          Move up
        </Button>
      )}
      {state === "queued" && held === undefined && (
        <Button
          disabled={isRunning}
          onClick={() => void act(() => nomos().call("landing.hold", { id }), `${sessionName} is held back.`)}
        >
          Hold
        </Button>
      )}
      {held !== undefined && (
        <Button
          disabled={isRunning}
          onClick={() => void act(() => nomos().call("landing.release", { id }), `${sessionName} goes on.`)}
        >
          Release
        </Button>
      )}
      <Button kind="quiet" disabled={isRunning} onClick={() => void eject(landing, act)}>
        Eject
      </Button>
    </div>
  );
}

async function eject(
  { id, sessionName }: Landing,
  act: (work: () => Promise<unknown>, said: string) => Promise<void>,
): Promise<void> {
  const isSure = await confirmed({
    title: `Take ${sessionName} out of the queue?`,
    body: "Its work stays in the worktree and can be landed again.",
    yes: "Eject it",
    danger: true,
  });
  if (isSure) await act(() => nomos().call("landing.eject", { id }), `Ejected ${sessionName}.`);
}
