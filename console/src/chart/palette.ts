import { type BarKind, kindOrder } from './schedule-columns.ts';

/** Colours of the chart, read from the page's style sheet, so that they follow the theme. */
export interface Palette {
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly now: string;
  readonly focus: string;
  readonly unavailable: string;
  readonly kinds: Readonly<Record<BarKind, string>>;
  readonly barText: string;
}

/** Custom properties hold expressions such as light-dark(…); a canvas needs the computed colour of an element. */
export function readPalette(element: Element): Palette {
  const probe = document.createElement('span');
  probe.hidden = true;
  element.append(probe);
  const color = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const palette: Palette = {
    background: color('--surface'),
    text: color('--text'),
    muted: color('--text-muted'),
    line: color('--line'),
    now: color('--now'),
    focus: color('--focus'),
    unavailable: color('--unavailable'),
    barText: color('--bar-text'),
    kinds: Object.fromEntries(
      kindOrder.map((kind) => [kind, color(`--kind-${kind.toLowerCase().replaceAll('_', '-')}`)]),
    ) as Record<BarKind, string>,
  };
  probe.remove();
  return palette;
}
