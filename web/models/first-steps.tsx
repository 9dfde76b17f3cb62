import { Link } from "../frame/index.ts";
import { Copy } from "../parts/index.ts";

/** For somebody without a provider: the two ways to begin. */
export function FirstSteps() {
  return (
    <div class="models-first">
      <section class="card" aria-labelledby="models-without">
        <h2 id="models-without">Try it without a key</h2>
        <p>
          <code>demo/script</code> follows the lines of your prompt: <code>say</code>, <code>run</code>,{" "}
          <code>write</code>. It uses the real tools and costs nothing.
        </p>
        <Copy text={'nomos run -a nomos --model demo/script "say hello"'} />
        <p>
          <Link to="/ui/start?agent=nomos&model=demo/script">Start it here</Link>
        </p>
      </section>
      <section class="card" aria-labelledby="models-with">
        <h2 id="models-with">Connect a model</h2>
        <p>Put the key into the daemon's environment or into a file, then name the place in the form below or here:</p>
        <Copy text="nomos model add anthropic --key env:ANTHROPIC_API_KEY" />
      </section>
    </div>
  );
}
