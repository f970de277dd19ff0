import type { AddCommand } from '../command.ts'
import { addDeadLetterCorrect } from './dead-letter-correct.ts'
import { addDeadLetterDiscard } from './dead-letter-discard.ts'
import { addDeadLetterRedrive } from './dead-letter-redrive.ts'

export const addDeadLetter: AddCommand = (program, terminal) => {
  const deadLetter = program
    .command('dead-letter')
    .description('Correct, redrive or discard what a destination did not accept.')
    .addHelpText(
      'after',
      '\nExample:\n  mortise dead-letter redrive --destination crm-tables\n\nTo find dead letters: mortise list dead-letters, mortise get dead-letter',
    )
  addDeadLetterCorrect(deadLetter, terminal)
  addDeadLetterRedrive(deadLetter, terminal)
  addDeadLetterDiscard(deadLetter, terminal)
}
