/** Milliseconds since the epoch. */
export type Instant = number;
/** A length of time in milliseconds. */
export type Millis = number;
