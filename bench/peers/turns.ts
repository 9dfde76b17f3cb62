import { type Figure, interleave, median } from "../harness.ts";

/** One thing that both do, measured in turn. Lower is better, and the aim is not to be behind. */
export async function versus(
  figure: Pick<Figure, "name" | "what"> & { readonly peer: string },
  rounds: { readonly warmUp: number; readonly measured: number },
  measurements: { readonly nomos: () => Promise<number>; readonly peer: () => Promise<number> },
): Promise<Figure> {
  await interleave(rounds.warmUp, measurements);
  const { nomos, peer } = await interleave(rounds.measured, measurements);
  return {
    name: figure.name,
    what: figure.what,
    unit: "ms",
    value: median(nomos),
    baseline: { what: figure.peer, value: median(peer) },
    aim: { ratioAtMost: 1 },
    details: { rounds: nomos.length },
  };
}
