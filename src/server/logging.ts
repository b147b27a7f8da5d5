import { type Logger, pino } from 'pino';

/** Maximum buffered bytes; further output is dropped. */
const maxBuffered = 1_000_000;

/** Logs to standard error: JSON lines, or readable text on a terminal. */
export async function createLogger(level: string): Promise<Logger> {
  if (!process.stderr.isTTY) {
    const destination = pino.destination({ fd: 2, sync: true, maxLength: maxBuffered });
    // A log that cannot be written, as on a full disk, does not stop the server. Logging resumes when possible.
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
