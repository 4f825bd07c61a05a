import { Box, useInput, usePaste } from 'ink';
import type { Theme } from '../output/theme.js';
import { Detail } from './components/detail.js';
import { Footer } from './components/footer.js';
import { Header } from './components/header.js';
import { Help } from './components/help.js';
import { type Canvas, Line } from './components/line.js';
import { Log } from './components/log.js';
import { Status } from './components/status.js';
import { Table } from './components/table.js';
import { WriteDialog } from './components/write-dialog.js';
import { keyNames } from './key-names.js';
import { placeOf } from './keymap.js';
import { rowWithId } from './known.js';
import { SMALLEST, SMALLEST_FOR_WRITES } from './layout.js';
import { isAboutWrite, leaseOf } from './prompt.js';
import { layoutOfState, shownAtMs, shownKnown, type TuiState } from './state.js';
import { rowsOnScreen, selectedRow } from './table-view.js';

interface AppProps {
  readonly state: TuiState;
  readonly theme: Theme;
  readonly onKeys: (names: readonly string[]) => void;
  readonly onPaste: (text: string) => void;
}

/** The whole screen, from the state alone. */
export function App({ state, theme, onKeys, onPaste }: AppProps) {
  useInput((input, key) => onKeys(keyNames(input, key)));
  usePaste(onPaste);
  const layout = layoutOfState(state);
  const canvas = { width: layout.width, theme };
  if (layout.isTooSmall) return <Line canvas={canvas} spans={[tooSmallText(state)]} />;
  const { source, known, nowMs, refusal, replay, prompt } = state;
  const place = placeOf(state);
  return (
    <Box flexDirection="column">
      <Header
        canvas={canvas}
        source={source}
        counts={known.counts}
        isComplete={known.isComplete}
        feed={known.feed}
        nowMs={nowMs}
        isWritable={refusal === undefined}
        recordedAtMs={replay?.clockMs}
      />
      {!isAboutWrite(prompt) && <Status canvas={canvas} state={state} />}
      <Body canvas={canvas} state={state} />
      <Footer
        canvas={canvas}
        place={place}
        isReplay={replay !== undefined}
        isWritable={refusal === undefined}
      />
    </Box>
  );
}

function Body({ canvas, state }: { readonly canvas: Canvas; readonly state: TuiState }) {
  const { pane, prompt, source, transferTtlMs, replay, known } = state;
  const { body } = layoutOfState(state);
  if (isAboutWrite(prompt)) {
    return (
      <WriteDialog
        canvas={canvas}
        // It has the place of the status line as well.
        height={body + 1}
        prompt={prompt}
        source={source}
        transferTtlMs={transferTtlMs}
        ownerNow={rowWithId(known.rows, leaseOf(prompt).id)?.owner}
      />
    );
  }
  const { rows, log, feed } = shownKnown(state);
  const moment = { atMs: shownAtMs(state), isStale: feed.kind === 'stale' };
  switch (pane.kind) {
    case 'help':
      return <Help canvas={canvas} height={body} isReplay={replay !== undefined} />;
    case 'detail':
      return (
        <Detail
          canvas={canvas}
          height={body}
          lease={pane.lease}
          isHeld={rowWithId(rows, pane.lease.id) !== undefined}
          log={log}
          {...moment}
        />
      );
    case 'table':
      return <Overview canvas={canvas} state={state} {...moment} />;
  }
}

interface OverviewProps {
  readonly canvas: Canvas;
  readonly state: TuiState;
  readonly atMs: number;
  readonly isStale: boolean;
}

/** The table, and the log below it. */
function Overview({ canvas, state, ...moment }: OverviewProps) {
  const { view } = state;
  const layout = layoutOfState(state);
  const rows = rowsOnScreen(view, layout.table);
  return (
    <>
      <Table
        canvas={canvas}
        rows={rows}
        height={layout.table}
        selected={selectedRow(view)}
        order={view.order}
        emptiness={emptinessText(state)}
        {...moment}
      />
      {layout.log > 0 && (
        <>
          <Line canvas={canvas} spans={ruleSpans(state, canvas.width, rows.length)} />
          <Log canvas={canvas} entries={shownKnown(state).log} height={layout.log} />
        </>
      )}
    </>
  );
}

/** The rule below the table tells which part of it is on the screen, where that is not all. */
function ruleSpans({ view }: TuiState, width: number, count: number) {
  const { top, shown } = view;
  const part = count < shown.length ? ` ${top + 1}–${top + count} of ${shown.length} ─` : '';
  return [{ text: ` ${'─'.repeat(Math.max(0, width - 2 - part.length))}${part}`, tone: 'dim' as const }];
}

/** Why there are no rows: never "none" for what was not seen. */
function emptinessText(state: TuiState): string {
  const { isComplete, feed } = shownKnown(state);
  const { view, source } = state;
  if (!isComplete) return feed.kind === 'stale' ? 'not read yet' : 'reading the leases…';
  if (view.sorted.length > 0) return 'no lease is meant by the filter (esc: no filter)';
  if (feed.kind === 'stale') return 'there was none when the backend was lost';
  if (source.role === 'replica' || source.role === 'unverified')
    return 'none seen, on a server that may not be the primary';
  return 'nothing is leased there now';
}

/** As much as there is room for. */
function tooSmallText({ size, prompt }: TuiState): string {
  const { columns, rows } = isAboutWrite(prompt) ? SMALLEST_FOR_WRITES : SMALLEST;
  const need = `${columns}×${rows}`;
  const whole = `too small: needs ${need}, this is ${size.columns}×${size.rows}`;
  const texts = [whole, `too small: need ${need}`, 'too small'];
  return texts.find((text) => text.length <= size.columns) ?? 'too small';
}
