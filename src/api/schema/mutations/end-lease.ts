import { addLeaseMutation } from './lease-mutation.ts';

addLeaseMutation('endLease', {
  typePrefix: 'EndLease',
  command: 'end',
  rehearsal: 'rehearseEnd',
  description: 'Ends a running lease: its machines ended by themselves, or are no longer needed. It is DONE now.',
  inputDescription: 'The lease to end.',
  payloadDescription: 'The ended lease, or why it was not ended.',
});
