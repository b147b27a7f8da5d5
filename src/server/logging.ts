import { type Logger, pino } from 'pino';

/** Logs go to standard error: JSON lines, or for a person's eyes when a person watches. */
export async function createLogger(level: string): Promise<Logger> {
  if (!process.stderr.isTTY) return pino({ level }, pino.destination({ fd: 2, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  return pino(
    { level },
    pretty({
      destination: 2,
      sync: true,
      ignore: 'pid,hostname',
      singleLine: true,
      translateTime: 'HH:MM:ss.l',
    }),
  );
}
