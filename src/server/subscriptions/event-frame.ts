/** One result as a server-sent event. With an id, a client that comes back says which one it received last. */
export function eventFrame(payload: string, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: next\ndata: ${payload}\n\n`;
}
