/**
 * Fields whose values follow from the database, their arguments, the configuration and what the principal may see. An
 * answer of these fields alone is the same until something is committed, so it may be given again. A field that is not
 * named here is read anew each time.
 *
 * Some of them depend on the time or the scheduler in some cases: their resolvers take that from the context, which
 * notes it (`withUseTracking`), and the answer is not kept then.
 */

const connections = ['Action', 'AuditEntry', 'ComputeNode', 'Lease', 'LeaseEvent', 'Maintenance', 'Notice'].concat([
  'Project',
  'Recurrence',
  'Reservation',
  'Token',
  'Webhook',
  'WebhookDelivery',
]);

const named: Readonly<Record<string, string>> = {
  // Not: accounting, availability, scheduler, serverTime, viewer.
  Query: `auditLog events lease leases maintenance node nodes notices objects projects queue recurrence recurrences
    reservations schedule site tokens utilization webhooks`,
  Node: 'id',
  Action: 'at attempts deadline error finishedAt id kind lease nodes output startedAt state',
  AuditEntry: 'at mutation outcome principal requestId role subject',
  // Not: host.
  ComputeNode: `actions address available capacity freeCapacity hostname id labels measuredRates number reservations
    state stateChange`,
  DiskImage: 'name sizeMb',
  FreeCapacity: 'capacity end start',
  Label: 'key value',
  // Not: waiting.
  Lease: `accumulatedDuration actions actualStart deadline diskImage endNotice endedAt estimatedEnd estimatedStart
    events id lostDuration machines name number occurrence owner preemptible project queuePosition recurrence
    requestedDuration requestedStart reservations restarts state stateReason submittedAt type`,
  LeaseEvent: 'at from id lease reason sequence to',
  LeaseMachine: 'capacity index node',
  Maintenance: 'end id nodes reason start',
  MeasuredRate: 'count kind median min',
  NodeStateChange: 'at by cause reason',
  Notice: 'at end id kind lease maintenance message node previousStart reason sequence start',
  PageInfo: 'endCursor hasNextPage hasPreviousPage startCursor',
  // Not: members, since tokens expire.
  Project: 'createdAt id leases name quotas',
  // Not: usage.
  Quota: 'amount amountHours maxDuration maxLeases period type',
  // Not: upcoming.
  Recurrence: `cancelledAt collisions createdAt diskImage duration firstStart id leases machines name number owner
    preemptible project rule skipped state timeZone`,
  Reservation: 'end id kind lease nodes start state targets',
  ReservationTarget: 'from lease machine node',
  ResourceAmount: 'amount type',
  Schedule: 'isComplete reservations',
  ScheduledReservation: `end id kind leaseName leaseNumber leaseProject leaseState leaseType nodes start state`,
  Site: 'acceptsKnownDurations clockSpeed name resourceTypes timeZone',
  SkippedOccurrence: 'occurrence reason start',
  StateReason: 'code message',
  Token: 'createdAt expiresAt id lastUsedAt name prefix projects revokedAt role',
  User: 'name projects role',
  UtilizationSample: 'end free resuming shuttingDown start suspending used',
  Webhook: 'createdAt deliveries id kinds owner pauseReason pausedAt project state url',
  WebhookDelivery: 'attempts createdAt deliveredAt deliveryId error id lastAttemptAt nextAttemptAt notice state status',
};

/** By the name of their type. */
export const storedFields: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...Object.entries(named).map(([type, fields]) => [type, new Set(fields.split(/\s+/))] as const),
  ...connections.flatMap((type) => [
    [`${type}Connection`, new Set(['edges', 'nodes', 'pageInfo', 'totalCount'])] as const,
    [`${type}Edge`, new Set(['cursor', 'node'])] as const,
  ]),
]);

/** Whether a field may be given again. */
export function isStored(type: string, field: string): boolean {
  return field === '__typename' || (storedFields.get(type)?.has(field) ?? false);
}
