/** One result as a server-sent event. With an id, a reconnecting client states the last one it received. */
export function eventFrame(payload: string, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: next\ndata: ${payload}\n\n`;
}
