import { builder } from '../builder.ts';
import { connection } from '../connection.ts';
import { intervalOf } from '../interval.ts';
import { Reservation, ReservationConnection } from '../nouns.ts';
import { countReservations, readReservations, reservationOrder } from './rows.ts';

builder.queryField('reservations', (t) =>
  t.connection(
    {
      type: Reservation,
      description: 'The reservations of the site, past and planned, by start.',
      args: {
        from: t.arg({ type: 'DateTime', description: 'Only those that end after this instant.' }),
        to: t.arg({ type: 'DateTime', description: 'Only those that start before this instant.' }),
      },
      resolve: (_root, { from, to, ...page }, { services: { prisma } }) => {
        const interval = intervalOf(from, to);
        return connection(
          reservationOrder,
          page,
          (window) => readReservations(prisma, interval, window),
          () => countReservations(prisma, interval),
        );
      },
    },
    ReservationConnection,
  ),
);
