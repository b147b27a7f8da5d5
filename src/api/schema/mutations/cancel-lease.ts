import { addLeaseMutation } from './lease-mutation.ts';

addLeaseMutation('cancelLease', {
  typePrefix: 'CancelLease',
  command: 'cancel',
  rehearsal: 'rehearseCancel',
  description: 'Cancels a lease that has not ended. Its machines are stopped if they run.',
  inputDescription: 'The lease to cancel.',
  payloadDescription: 'The cancelled lease, or why it was not cancelled.',
});
