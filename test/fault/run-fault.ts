import { limitTo } from '../support/limit.js';
import { type Cell, type FaultReport, HOLDER, type Outcome, type Situation } from './cell.js';
import { CLI_VERBS, measureStartMs, runCliVerb } from './cli-verbs.js';
import { type Fault, type Held, type Scene, timeoutOf, type Way } from './fault.js';
import { startLibrary } from './library-process.js';
import { LIBRARY_VERBS, libraryOutcome } from './library-verbs.js';

/** How many programs run at a time, of all faults: most of them wait, most of the time. Fewer where times are written. */
const programs = limitTo(process.env.DOCS === 'write' ? 2 : 8);

/** A verb that is about to be used: its key, its way to the backend, and what is there. */
interface Prepared<Verb> {
  readonly verb: Verb;
  readonly key: string;
  readonly way: Way;
  readonly before: Held | undefined;
}

/** Runs every verb into a fault, and looks at what is there afterwards. */
export async function runFault(fault: Fault): Promise<FaultReport> {
  await using scene = await fault.arrange();
  const timeoutMs = timeoutOf(fault);
  const prepareAll = <Verb extends Situation>(verbs: readonly Verb[]) =>
    Promise.all(verbs.map((verb) => prepare(fault, scene, verb)));
  const commands = await prepareAll(CLI_VERBS);
  const calls = await prepareAll(LIBRARY_VERBS);
  await using application = await startLibrary(
    { timeoutMs, calls: calls.map(({ verb: { verb }, key, way }) => ({ verb, key, ...way })) },
    calls[0]?.way.shell,
  );
  await scene.strike?.();
  for (const { way } of [...commands, ...calls]) way.strike?.();
  const [answers, startMs, ...outcomes] = await Promise.all([
    application.call(),
    programs(measureStartMs),
    ...commands.map(({ verb, key, way }) => programs(() => runCliVerb(verb, key, way, timeoutMs))),
  ]);
  await scene.heal?.();
  for (const [index, { verb }] of calls.entries()) {
    const answer = answers[index];
    if (answer) outcomes.push(libraryOutcome(verb.verb, answer, timeoutMs));
  }
  const { leftOpen, printed } = await application.end();
  const cells: Cell[] = [];
  for (const [index, prepared] of [...commands, ...calls].entries()) {
    const outcome = outcomes[index];
    if (outcome) cells.push(await lookAt(scene, prepared, outcome));
  }
  return { fault, startMs, cells, leftOpen, printed };
}

async function prepare<Verb extends Situation>(
  { hashTag }: Fault,
  scene: Scene,
  verb: Verb,
): Promise<Prepared<Verb>> {
  const name = `${verb.surface}.${verb.verb.replaceAll(/\W+/g, '-')}`;
  const key = hashTag === undefined ? name : `{${hashTag}}.${name}`;
  if (verb.isHeld) await scene.truth.hold(key, HOLDER);
  const before = await scene.truth.read(key);
  return { verb, key, before, way: await scene.way(key) };
}

async function lookAt(
  { truth }: Scene,
  { verb: { surface, verb, isHeld, isWrite }, key, before }: Prepared<Situation>,
  outcome: Outcome,
): Promise<Cell> {
  const [after, effects] = [await truth.read(key), await truth.effectsOn?.(key)];
  return { surface, verb, isHeld, isWrite, ...outcome, before, after, effects };
}
