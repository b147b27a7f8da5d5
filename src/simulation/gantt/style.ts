import type { LeaseType, ReservationKind } from '../../core/index.ts';

interface KindStyle {
  readonly name: string;
  /** Painted over the colour of the lease. */
  readonly overlay: string | null;
}

export const kindStyles: Readonly<Record<ReservationKind, KindStyle>> = {
  VM: { name: 'running', overlay: null },
  SHUTDOWN: { name: 'shutting down', overlay: '#0006' },
  SUSPENSION: { name: 'suspending', overlay: 'url(#suspension)' },
  RESUMPTION: { name: 'resuming', overlay: 'url(#resumption)' },
  MEMORY_MIGRATION: { name: 'moving memory', overlay: 'url(#memory)' },
  DISK_MIGRATION: { name: 'moving a disk', overlay: 'url(#disk)' },
  IMAGE_TRANSFER: { name: 'image transfer', overlay: 'url(#image)' },
};

const typeNames: Readonly<Record<LeaseType, string>> = {
  BEST_EFFORT: 'best effort',
  ADVANCE_RESERVATION: 'advance reservation',
  IMMEDIATE: 'immediate',
  DEADLINE: 'deadline',
};

function hatch(id: string, path: string, size = 6): string {
  return `<pattern id="${id}" width="${size}" height="${size}" patternUnits="userSpaceOnUse"><path d="${path}" stroke="#000" stroke-width="1.1" stroke-opacity="0.65" fill="none"/></pattern>`;
}

export const patterns = [
  hatch('suspension', 'M-1 7L7 -1M-1 1L1 -1M5 7L7 5'),
  hatch('resumption', 'M-1 -1L7 7M5 -1L7 1M-1 5L1 7'),
  hatch('memory', 'M1.5 0V4', 4),
  hatch('disk', 'M0 1.5H4', 4),
  hatch('image', 'M0 0L6 6M6 0L0 6'),
].join('');

/** Neighbouring numbers get distant hues, and one of three lightnesses. */
export function leaseColour(id: number): string {
  const hue = (id * 137.508) % 360;
  const lightness = [0.7, 0.6, 0.8][id % 3] as number;
  const saturation = [0.6, 0.5, 0.75][id % 3] as number;
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    const value = lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

/** The outline shows the type of a lease, if a box of that size has room for one. */
export function outlineOf(type: LeaseType, wide: number, tall: number): string {
  const room = Math.min(wide, tall);
  if (type === 'BEST_EFFORT') return room < 6 ? '' : 'stroke="#fff" stroke-width="0.6"';
  if (room < 2) return '';
  const dashes = type === 'IMMEDIATE' ? ' stroke-dasharray="4 2"' : '';
  return `stroke="#111" stroke-width="${room < 9 ? 0.6 : 1.3}"${dashes}`;
}

const itemHeight = 20;
const characterWidth = 6.6;
const maxLeases = 40;
const neutral = '#cfd8dc';

/** The meaning of colours, outlines and hatchings, as far as the picture has them. */
export function legend(
  kinds: ReadonlySet<ReservationKind>,
  types: ReadonlySet<LeaseType>,
  leases: readonly number[],
  { left, top, width }: { left: number; top: number; width: number },
): { svg: string; bottom: number } {
  const items: { fills: string[]; overlay?: string; outline?: string; text: string }[] = [];
  for (const type of types) {
    items.push({ fills: [neutral], outline: outlineOf(type, 20, 13), text: typeNames[type] });
  }
  for (const kind of Object.keys(kindStyles) as ReservationKind[]) {
    const { overlay, name } = kindStyles[kind];
    if (kinds.has(kind) && overlay !== null) items.push({ fills: [neutral], overlay, text: name });
  }
  if (leases.length <= maxLeases) {
    for (const id of leases) items.push({ fills: [leaseColour(id)], text: `lease ${id}` });
  } else {
    items.push({ fills: leases.slice(0, 4).map(leaseColour), text: 'one colour per lease' });
  }
  let x = left;
  let y = top;
  let svg = '';
  for (const { fills, overlay, outline = '', text } of items) {
    const wide = 26 + text.length * characterWidth + 16;
    if (x + wide > left + width) {
      x = left;
      y += itemHeight;
    }
    const part = 20 / fills.length;
    for (const [i, fill] of fills.entries()) {
      svg += `<rect x="${x + i * part}" y="${y}" width="${part}" height="13" fill="${fill}" ${outline}/>`;
    }
    if (overlay !== undefined) svg += `<rect x="${x}" y="${y}" width="20" height="13" fill="${overlay}"/>`;
    svg += `<text x="${x + 26}" y="${y + 10.5}">${text}</text>\n`;
    x += wide;
  }
  return { svg, bottom: y + itemHeight };
}
