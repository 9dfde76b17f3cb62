import { useState } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { nomos, toast, useAction } from "../frame/index.ts";
import { Badge, Button, countText } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { type ListedModel, priceText } from "./providers-of.ts";

type Tested = OutputOf<"model.test">;

interface ModelRowProps {
  readonly model: ListedModel;
  readonly onChange: () => void;
}

export function ModelRow({ model, onChange }: ModelRowProps) {
  const { name, window, output, price, isDefault } = model;
  const [tested, setTested] = useState<Tested | null>(null);
  const testing = useAction();
  const choosing = useAction();
  const test = async (): Promise<void> => {
    setTested(null);
    const answer = await testing.run(() => nomos().call("model.test", { model: name }));
    if (answer !== undefined) setTested(answer);
  };
  const choose = async (): Promise<void> => {
    const answer = await choosing.run(() => nomos().call("model.default", { model: name }));
    if (answer === undefined) return;
    toast(`The default model is ${answer.default}.`);
    onChange();
  };
  return (
    <>
      <tr>
        <td class="models-name">
          <SafeText text={name} oneLine /> {isDefault && <Badge kind="accent">default</Badge>}
        </td>
        <td data-name="Window">{countText(window)}</td>
        <td data-name="Answer">{countText(output)}</td>
        <td data-name="In per million">{price === null ? "–" : priceText(price.input)}</td>
        <td data-name="Out per million">{price === null ? "–" : priceText(price.output)}</td>
        <td class="models-actions">
          <Button disabled={testing.isRunning} onClick={() => void test()}>
            {testing.isRunning ? "Testing …" : "Test"}
          </Button>
          <Button disabled={isDefault || choosing.isRunning} onClick={() => void choose()}>
            Make default
          </Button>
        </td>
      </tr>
      {tested !== null && (
        <tr class="models-tested">
          <td colSpan={6}>
            <TestResult tested={tested} />
          </td>
        </tr>
      )}
    </>
  );
}

function TestResult({ tested: { ok, ms, firstTokenMs, says } }: { readonly tested: Tested }) {
  return (
    <div role="status">
      <Badge kind={ok ? "good" : "bad"}>{ok ? "works" : "does not work"}</Badge> <SafeText text={says} />{" "}
      <span class="muted">
        {Math.round(ms)} ms{firstTokenMs !== null && `, first token after ${Math.round(firstTokenMs)} ms`}
      </span>
    </div>
  );
}
