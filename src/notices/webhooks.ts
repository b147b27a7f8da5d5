import type { NoticeKind } from '../engine/ports.ts';
import type { Prisma, PrismaClient, Webhook } from '../store/prisma/client.ts';
import { AddressRules } from './addresses.ts';
import { SecretBox } from './secret-box.ts';
import { faultOfUrl } from './send.ts';
import { newSecret } from './signature.ts';

/** The topic of tests; that of other deliveries is the number of their lease, or 0. */
export const testTopic = -1;

/** Webhooks of one project, and of the site as a whole. */
export const maxWebhooks = 20;

export interface WebhookSettings {
  /** Networks in CIDR notation that may be called although they are not public. */
  readonly allowedNetworks: readonly string[];
  readonly allowHttp: boolean;
}

export interface NewWebhook {
  readonly url: string;
  /** Empty: all. */
  readonly kinds: readonly NoticeKind[];
  /** Null: all notices of the site. */
  readonly project: number | null;
  readonly owner: string;
  /** Null: a new one. */
  readonly secret: string | null;
}

export interface WebhookChanges {
  readonly url?: string;
  readonly kinds?: readonly NoticeKind[];
  readonly active?: boolean;
  readonly secret?: string;
}

/** Writes, in the transaction of a change, what else belongs to it, such as its audit record. */
export type Within = (transaction: Prisma.TransactionClient, webhook: number) => Promise<void>;

/** Webhooks in the database. Their secrets are written here, opened where deliveries are signed, and shown nowhere. */
export class Webhooks {
  private readonly addresses: AddressRules;

  constructor(
    private readonly prisma: PrismaClient,
    private readonly settings: WebhookSettings,
    private readonly secrets = new SecretBox(null),
  ) {
    this.addresses = new AddressRules(settings.allowedNetworks);
  }

  /** Why a URL is refused; null when it is not. */
  faultOf(url: string): string | null {
    return faultOfUrl(url, { addresses: this.addresses, allowHttp: this.settings.allowHttp });
  }

  /** Whether a project, or the site (null), may have another one: each notice is written once per webhook. */
  async mayAdd(project: number | null): Promise<boolean> {
    return (await this.prisma.webhook.count({ where: { projectNumber: project } })) < maxWebhooks;
  }

  async create(
    { project, kinds, secret, ...rest }: NewWebhook,
    within?: Within,
  ): Promise<{ number: number; secret: string }> {
    const kept = secret ?? newSecret();
    return this.prisma.$transaction(async (transaction) => {
      const { number } = await transaction.webhook.create({
        data: { ...rest, kinds: [...kinds], projectNumber: project, secret: this.secrets.seal(kept) },
        select: { number: true },
      });
      await within?.(transaction, number);
      return { number, secret: kept };
    });
  }

  /**
   * Active again, it gets at once what has waited while it was paused. What happens while it is not active is never
   * delivered.
   */
  async update(number: number, { active, kinds, secret, ...rest }: WebhookChanges, within?: Within): Promise<void> {
    const state: Pick<Webhook, 'state' | 'pauseReason' | 'pausedAt'> | null =
      active === undefined ? null : { state: active ? 'ACTIVE' : 'DISABLED', pauseReason: null, pausedAt: null };
    await this.prisma.$transaction(async (transaction) => {
      await transaction.webhook.updateMany({
        where: { number },
        data: {
          ...rest,
          ...(kinds && { kinds: [...kinds] }),
          ...(secret !== undefined && { secret: this.secrets.seal(secret) }),
          ...state,
        },
      });
      if (active === true) {
        await transaction.webhookDelivery.updateMany({
          where: { webhookNumber: number, state: 'PENDING' },
          data: { attempts: 0, nextAttemptAt: new Date() },
        });
      }
      await within?.(transaction, number);
    });
  }

  async delete(number: number, within?: Within): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      await transaction.webhook.deleteMany({ where: { number } });
      await within?.(transaction, number);
    });
  }

  /** The number of the delivery. */
  async test(number: number, within?: Within): Promise<bigint> {
    return this.prisma.$transaction(async (transaction) => {
      const delivery = await transaction.webhookDelivery.create({
        data: { webhookNumber: number, topic: testTopic },
        select: { number: true },
      });
      await within?.(transaction, number);
      return delivery.number;
    });
  }
}
