/** What an audit record says of the caller, beside the principal. */
export interface AuditNote {
  readonly role: string;
  readonly mutation: string;
  readonly requestId: string;
  /** What is to be changed, as a global id; null when the command makes it. */
  readonly subject: string | null;
}
