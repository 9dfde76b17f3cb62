import { useState } from "preact/hooks";
import type { CallProgress, OutputOf } from "../../../src/client/index.ts";
import { confirmed, nomos, toast, useAction, useCall } from "../../frame/index.ts";
import { Badge, Button, Progress } from "../../parts/index.ts";
import { SafeText } from "../../text/index.ts";

type DriverRow = OutputOf<"driver.list">["drivers"][number];
type Checked = OutputOf<"driver.check">;

/** One driver: whether it is there, in which version, and what can be done about it. */
export function Driver({ driver, onChange }: { readonly driver: DriverRow; readonly onChange: () => void }) {
  const { slug, summary, protocol, origin, installed } = driver;
  const isForeign = protocol !== "own";
  const shown = useCall("driver.show", { slug }, { when: isForeign });
  const [checked, setChecked] = useState<Checked | null>(null);
  const [progress, setProgress] = useState<CallProgress | null>(null);
  const { run, isRunning } = useAction();
  const install = async (): Promise<void> => {
    setProgress({ message: "beginning" });
    const done = await run(() => nomos().call("driver.install", { slug }, { progress: setProgress }));
    setProgress(null);
    if (done === undefined) return;
    toast(`${slug} is installed.`);
    onChange();
  };
  const check = async (): Promise<void> => {
    const found = await run(() => nomos().call("driver.check", { slug }));
    if (found !== undefined) setChecked(found);
  };
  const remove = async (): Promise<void> => {
    const isSure = await confirmed({
      title: `Remove the manifest of ${slug}?`,
      body: "A built-in manifest of the same name applies again. What was installed stays in the home.",
      yes: "Remove it",
      danger: true,
    });
    if (isSure) await run(() => nomos().call("driver.remove", { slug })).then(onChange);
  };
  const version = versionIn(shown.value?.manifest ?? null);
  return (
    <li>
      <div class="system-list-text">
        <strong>{slug}</strong> {installed ? <Badge kind="good">installed</Badge> : <Badge>not installed</Badge>}{" "}
        {origin !== "built-in" && <Badge kind="accent">{origin}</Badge>}{" "}
        {version !== null && <span class="muted">manifest names {version}</span>}
        <div class="muted">
          <SafeText text={summary} />
        </div>
        {progress !== null && <Installing slug={slug} progress={progress} />}
        {checked !== null && <CheckResult checked={checked} />}
      </div>
      {isForeign && (
        <div class="system-buttons">
          <Button kind={installed ? "plain" : "primary"} disabled={isRunning} onClick={() => void install()}>
            {installed ? "Install again" : "Install"}
          </Button>
          <Button disabled={isRunning} onClick={() => void check()}>
            Check
          </Button>
          {origin === "added" && (
            <Button kind="danger" disabled={isRunning} onClick={() => void remove()}>
              Remove
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

function Installing({ slug, progress }: { readonly slug: string; readonly progress: CallProgress }) {
  return (
    <div role="status">
      <Progress label={`Installing ${slug}`} {...progress} />
      <SafeText text={progress.message} oneLine />
    </div>
  );
}

function CheckResult({ checked: { ok, version, from, command, problem, agent } }: { readonly checked: Checked }) {
  return (
    <div role="status" class="system-checked">
      <p>
        <Badge kind={ok ? "good" : "bad"}>{ok ? "works" : "does not work"}</Badge>{" "}
        {version !== null && `version ${version}`}
        {from !== null && ` from ${from}`} <code>{command.join(" ")}</code>
      </p>
      {agent !== null && (
        <p class="muted">
          <SafeText text={agent.name} oneLine />: {agent.resumes || agent.loads ? "resumes" : "does not resume"},{" "}
          {agent.forks ? "forks" : "does not fork"}, {agent.images ? "takes images" : "takes no images"}
        </p>
      )}
      {problem !== null && (
        <>
          <p class="system-problem">
            <SafeText text={problem.message} />
          </p>
          <ul class="system-steps">
            {problem.steps.map((step) => (
              <li key={step}>
                <SafeText text={step} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** The package that an install brings, with its version. */
function versionIn(manifest: Readonly<Record<string, unknown>> | null): string | null {
  const found = /"packages":\["([^"]+)"/.exec(JSON.stringify(manifest ?? {}));
  return found?.[1] ?? null;
}
