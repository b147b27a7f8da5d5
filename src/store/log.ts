/** The part of a pino logger that the store uses. */
export interface StoreLog {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export const silentLog: StoreLog = { debug() {}, info() {}, warn() {} };
