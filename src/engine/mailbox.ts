import { type Answer, type Command, fitting, forwardedInput, refusal } from './commands.ts';
import type { CommitBatch, ForwardedCommand } from './ports.ts';

/** Commands that other servers left in the database, and the answers that go back there with a commit. */
export class Mailbox {
  /** There may be commands that were not read yet. */
  waiting = true;
  /** Answers that were given outside a turn. */
  private unwritten: CommitBatch['answers'][number][] = [];

  get hasWork(): boolean {
    return this.waiting || this.unwritten.length > 0;
  }

  /** At most so many, and of so many machines together. They stay in the database until their answers are written, so that they are read again after a failure. */
  async take(
    most: number,
    mostMachines: number,
    read: (most: number) => Promise<readonly ForwardedCommand[]>,
  ): Promise<Command[]> {
    if (!this.waiting || most <= 0) return [];
    this.waiting = false;
    const found = await read(most);
    if (found.length === most) this.waiting = true;
    const commands = found.flatMap(({ id, payload }): Command[] => {
      if (this.unwritten.some((each) => each.commandId === id)) return [];
      const input = forwardedInput(payload);
      if (input) return [{ input, replyTo: { forwarded: id } }];
      this.answer(id, refusal('INVALID_REQUEST', 'This command is not understood.'));
      return [];
    });
    const count = fitting(commands, mostMachines);
    if (count < commands.length) this.waiting = true;
    return commands.slice(0, count);
  }

  answer(commandId: string, answer: Answer): void {
    this.unwritten.push({ commandId, answer });
  }

  /** What a commit has to write: also those of these answers that go through the database. */
  answersWith(answers: readonly (readonly [Command, Answer])[]): CommitBatch['answers'] {
    const given = answers.flatMap(([{ replyTo }, answer]) =>
      'forwarded' in replyTo ? [{ commandId: replyTo.forwarded, answer }] : [],
    );
    return [...this.unwritten, ...given];
  }

  written(): void {
    this.unwritten = [];
  }
}
