import { type Logger, pino } from 'pino';

/** Bytes that wait to be written; what comes then is lost. */
const maxBuffered = 1_000_000;

/** Logs go to standard error: JSON lines, or for a person's eyes when a person watches. */
export async function createLogger(level: string): Promise<Logger> {
  if (!process.stderr.isTTY) {
    const destination = pino.destination({ fd: 2, sync: true, maxLength: maxBuffered });
    // A log that cannot be written, because its disk is full, is no reason to stop. It goes on when it can be.
    destination.on('error', () => {});
    return pino({ level }, destination);
  }
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
