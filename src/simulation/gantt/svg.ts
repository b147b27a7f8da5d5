import type { SchedulerConfig, SiteSpec } from '../../core/index.ts';
import { escapeXml } from '../formats/escape.ts';
import type { LeaseResult, Seconds, SimulationResult } from '../result.ts';
import type { Workload } from '../workload.ts';
import { ticks } from './axis.ts';
import { layOut, type Move, mergeRows, type RowsBar } from './layout.ts';
import { drawPanel, queueLengthOver, utilizationOver } from './panels.ts';
import { kindStyles, leaseColour, legend, outlineOf, patterns } from './style.ts';

const plotWidth = 1400;
const marginLeft = 64;
const marginRight = 24;
const marginTop = 58;
const axisHeight = 34;
const panelHeight = 44;
const panelGap = 8;
const maxRowHeight = 36;
/** Where leases share nodes, rows grow up to this height, so that each lease has room for its label. */
const maxSharedRowHeight = 144;
const minRowHeight = 2;
/** Limit for all rows together, as long as each stays visible. */
const maxPlotHeight = 1100;
const digitWidth = 6.2;
/** Height of the label of a row. */
const labelHeight = 13;
const fontSize = 11;
/** Labels in bars get smaller down to this height before they are left out. */
const minFontSize = 7;

/** Positions in the picture. */
interface Frame {
  readonly start: Seconds;
  readonly end: Seconds;
  readonly nodes: number;
  readonly rowHeight: number;
  /** Height of the row of the image repository; 0 without one. */
  readonly channel: number;
  readonly bottom: number;
  x(at: Seconds): number;
  /** Top of the row of a node. */
  y(node: number): number;
}

/**
 * Draws what was executed: nodes down, time across, one colour per lease; utilization and queue length beneath.
 * Hatched: suspensions, resumptions, migrations, image transfers. What goes over the network is a strip at the foot of
 * the rows of its nodes; image transfers have a row of their own as well.
 */
export function* drawGantt(
  result: SimulationResult,
  workload: Workload,
  site: SiteSpec,
  scheduler: SchedulerConfig,
): Generator<string, void> {
  const { bars, moves } = layOut(result, workload, site);
  const leases = new Map(result.leases.map((lease) => [lease.id, lease]));
  const leaseOf = (id: number) => leases.get(id) as LeaseResult;
  const transfers = moves.filter(({ kind }) => kind === 'IMAGE_TRANSFER');
  const minShare = bars.reduce((min, { height }) => Math.min(min, height), 1);
  const frame = frameOf(result, site.nodes.length, transfers.length > 0, minShare);
  const panels = frame.bottom + axisHeight + 8;
  const panelsBottom = panels + 2 * (panelHeight + panelGap);
  const drawn = [...new Set([...bars, ...moves].map(({ lease }) => lease))].sort((a, b) => a - b);
  const key = legend(
    new Set([...bars, ...moves].map(({ kind }) => kind)),
    new Set(drawn.map((id) => leaseOf(id).type)),
    drawn,
    { left: marginLeft, top: panelsBottom + 10, width: plotWidth },
  );
  const width = marginLeft + plotWidth + marginRight;
  const height = Math.ceil(key.bottom + 16);

  yield `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="11" fill="#333">\n`;
  yield `<defs>${patterns}</defs>\n<rect width="100%" height="100%" fill="#fff"/>\n`;
  yield heading(result, workload, site, scheduler);
  yield* grid(frame);
  const rows = mergeRows(bars);
  for (const bar of rows) yield drawBar(frame, bar, leaseOf(bar.lease));
  const strip = Math.max(2, Math.min(8, frame.rowHeight * 0.3));
  for (const move of moves) {
    for (const node of move.nodes) {
      const top = frame.y(node + 1) - strip - rowGap(frame);
      yield drawMove(frame, move, leaseOf(move.lease), top, strip, `node ${node}`);
    }
  }
  for (const move of transfers) {
    yield drawMove(frame, move, leaseOf(move.lease), marginTop, frame.channel, 'image repository');
  }
  for (const bar of rows) yield drawNumber(frame, bar);
  yield* panelsOf(frame, panels, result, workload, site);
  yield `${key.svg}</svg>\n`;
}

function frameOf(result: SimulationResult, nodes: number, withTransfers: boolean, minShare: number): Frame {
  const [start, end] = span(result);
  const wanted = Math.max(maxRowHeight, Math.min(maxSharedRowHeight, (minFontSize + 3) / minShare));
  const rowHeight = Math.max(minRowHeight, Math.min(wanted, maxPlotHeight / nodes));
  const channel = withTransfers ? Math.max(14, Math.min(rowHeight, 22)) : 0;
  const firstRow = marginTop + (withTransfers ? channel + 6 : 0);
  const y = (node: number) => firstRow + (node - 1) * rowHeight;
  const x = (at: Seconds) => round(marginLeft + ((at - start) / (end - start)) * plotWidth);
  return { start, end, nodes, rowHeight, channel, bottom: y(nodes + 1), x, y };
}

function span(result: SimulationResult): [Seconds, Seconds] {
  let start = Number.POSITIVE_INFINITY;
  let end = 0;
  for (const { reservations } of result.leases) {
    for (const reservation of reservations) {
      start = Math.min(start, reservation.start);
      end = Math.max(end, reservation.end);
    }
  }
  if (end === 0) return [0, Math.max(1, result.summary.end)];
  // The origin is shown unless it is far off.
  return [start < end / 4 ? 0 : start, Math.max(end, start + 1)];
}

function* panelsOf(
  frame: Frame,
  top: number,
  result: SimulationResult,
  workload: Workload,
  site: SiteSpec,
): Generator<string, void> {
  const { end, x } = frame;
  const place = { left: marginLeft, width: plotWidth, height: panelHeight, end, x };
  const use = utilizationOver(result, workload, site);
  yield drawPanel(use, 'use', 1, '100 % of the CPU', { ...place, top });
  const queue = queueLengthOver(result);
  const max = queue.reduce((max, [, length]) => Math.max(max, length), 1);
  const label = `${max} ${max === 1 ? 'lease' : 'leases'} in the queue`;
  yield drawPanel(queue, 'queue', max, label, { ...place, top: top + panelHeight + panelGap });
}

function heading(result: SimulationResult, workload: Workload, site: SiteSpec, scheduler: SchedulerConfig): string {
  const name = escapeXml(workload.name ?? 'Schedule');
  const done = result.leases.filter(({ state }) => state === 'DONE').length;
  const { backfilling, suspension, preemption, migration } = scheduler;
  const policies = `backfilling ${backfilling}, suspension ${suspension}, migration ${migration}, preemption ${preemption}`;
  const facts = escapeXml(`${result.leases.length} leases (${done} done) on ${site.nodes.length} nodes: ${policies}`);
  return `<text x="${marginLeft}" y="26" font-size="18" fill="#111">${name}</text>\n<text x="${marginLeft}" y="45">${facts}</text>\n`;
}

function* grid({ start, end, nodes, rowHeight, channel, bottom, x, y }: Frame): Generator<string, void> {
  const ground = (top: number, tall: number) =>
    `<rect x="${marginLeft}" y="${top}" width="${plotWidth}" height="${round(tall)}" fill="#f4f4f4"/>\n`;
  const rowLabel = (middle: number, text: string) =>
    `<text x="${marginLeft - 8}" y="${round(middle + 4)}" text-anchor="end">${text}</text>\n`;
  const firstRow = y(1);
  if (channel > 0) yield ground(marginTop, channel) + rowLabel(marginTop + channel / 2, 'images');
  yield ground(firstRow, bottom - firstRow);
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((each) => each * rowHeight >= labelHeight) ?? 2000;
  for (let number = 1; number <= nodes; number += 1) {
    if (rowHeight >= 8 && number > 1) {
      yield `<path d="M${marginLeft} ${round(y(number))}h${plotWidth}" stroke="#ddd" stroke-width="0.5"/>\n`;
    }
    if (number % every === 0 || (number === 1 && (every - 1) * rowHeight >= labelHeight)) {
      yield rowLabel(y(number) + rowHeight / 2, String(number));
    }
  }
  const middle = round((firstRow + bottom) / 2);
  yield `<text x="14" y="${middle}" text-anchor="middle" transform="rotate(-90 14 ${middle})">node</text>\n`;
  for (const { at, label } of ticks(start, end, plotWidth / 90)) {
    yield `<path d="M${x(at)} ${marginTop}V${round(bottom + 5)}" stroke="#bbb" stroke-width="0.6"/>\n`;
    yield `<text x="${x(at)}" y="${round(bottom + 18)}" text-anchor="middle">${label}</text>\n`;
  }
  const centre = marginLeft + plotWidth / 2;
  yield `<text x="${centre}" y="${round(bottom + 33)}" text-anchor="middle">time from the start of the run</text>\n`;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly wide: number;
  readonly tall: number;
}

function rowGap({ rowHeight }: Frame): number {
  if (rowHeight >= 12) return 1;
  return rowHeight >= 5 ? 0.4 : 0;
}

function boxOf(frame: Frame, bar: RowsBar): Box {
  const { rowHeight, x, y } = frame;
  const tall = (bar.rows === 1 ? bar.height : bar.rows) * rowHeight;
  const gap = Math.min(rowGap(frame), tall / 8);
  const left = x(bar.start);
  return {
    left,
    top: round(y(bar.node) + bar.top * rowHeight + gap),
    wide: round(Math.max(x(bar.end) - left, 0.4)),
    tall: round(tall - 2 * gap),
  };
}

function drawBar(frame: Frame, bar: RowsBar, lease: LeaseResult): string {
  const box = boxOf(frame, bar);
  const where = bar.rows === 1 ? `node ${bar.node}` : `nodes ${bar.node}–${bar.node + bar.rows - 1}`;
  return drawBox(box, bar, lease, where, outlineOf(lease.type, box.wide, box.tall));
}

function drawNumber(frame: Frame, bar: RowsBar): string {
  const { left, top, wide, tall } = boxOf(frame, bar);
  const number = String(bar.lease);
  const size = Math.min(fontSize, Math.floor(tall - 1));
  if (bar.kind !== 'VM' || size < minFontSize) return '';
  if (wide < (number.length * digitWidth * size) / fontSize + 4) return '';
  const x = round(left + wide / 2);
  return `<text x="${x}" y="${round(top + tall / 2 + size * 0.36)}" font-size="${size}" text-anchor="middle" fill="#111" stroke="#fff" stroke-opacity="0.6" stroke-width="2" paint-order="stroke">${number}</text>\n`;
}

function drawMove(frame: Frame, move: Move, lease: LeaseResult, top: number, tall: number, where: string): string {
  const left = frame.x(move.start);
  const wide = round(Math.max(frame.x(move.end) - left, 0.8));
  const outline = wide < 3 ? '' : 'stroke="#444" stroke-width="0.5"';
  return drawBox({ left, top: round(top), wide, tall: round(tall) }, move, lease, where, outline);
}

function drawBox(
  { left, top, wide, tall }: Box,
  { kind, start, end }: Pick<Move, 'kind' | 'start' | 'end'>,
  lease: LeaseResult,
  where: string,
  outline: string,
): string {
  const place = `x="${left}" y="${top}" width="${wide}" height="${tall}"`;
  const { name, overlay } = kindStyles[kind];
  const type = lease.type.toLowerCase().replace('_', ' ');
  const title = `<title>lease ${lease.id} (${type}): ${name}, ${where}, ${start}–${end} s</title>`;
  const hatching = overlay === null ? '' : `<rect ${place} fill="${overlay}"/>`;
  return `<g>${title}<rect ${place} fill="${leaseColour(lease.id)}" ${outline}/>${hatching}</g>\n`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
