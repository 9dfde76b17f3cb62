import { confirmed, nomos, toast, useAction } from "../frame/index.ts";
import { Button } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";

interface SetUpProps {
  readonly cwd: string;
  readonly onDone: () => void;
}

/** Gives a repository its law: first what would be written, then the act. */
export function SetUp({ cwd, onDone }: SetUpProps) {
  const { run, isRunning } = useAction();
  const setUp = async (): Promise<void> => {
    const planned = await run(() => nomos().call("governance.init", { cwd, dryRun: true }));
    if (planned === undefined) return;
    const isSure = await confirmed({
      title: "Give this repository a law?",
      body: (
        <>
          <p>
            One commit on <SafeText text={planned.branch} oneLine strict /> adds these files and nothing else:
          </p>
          <ul class="law-words">
            {planned.files.map((file) => (
              <li key={file}>
                <code>
                  <SafeText text={file} oneLine strict />
                </code>
              </li>
            ))}
          </ul>
        </>
      ),
      yes: "Give it a law",
    });
    if (!isSure) return;
    const idempotencyKey = crypto.randomUUID();
    const done = await run(() => nomos().call("governance.init", { cwd }, { idempotencyKey }));
    if (done === undefined) return;
    toast("The repository has a law now.");
    onDone();
  };
  return (
    <Button kind="primary" disabled={isRunning} onClick={() => void setUp()}>
      Give it a law
    </Button>
  );
}
