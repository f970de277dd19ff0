import { commandLine } from '../command-line.ts'
import { pluralize } from '../pluralize.ts'
import { type Check, warning } from './check.ts'

/** From this number on, the service counts no further. */
const counted = 1_000

export const deadLetters: Check = {
  name: 'dead letters',
  needs: 'project',
  async run({ mortise, terminal: { signal } }) {
    const all = await mortise.listDestinations({}, { signal })
    return all.flatMap(({ name, deadLetterCount = 0 }) => {
      if (deadLetterCount === 0) return []
      const count = `${deadLetterCount < counted ? '' : 'at least '}${pluralize(deadLetterCount, 'dead letter')}`
      return [
        warning(
          `The destination ${name} has ${count}: messages or records that it did not accept.`,
          `\`${commandLine('list', 'dead-letters', '--destination', name)}\` shows the reasons. After the repair, send them again: \`${commandLine('dead-letter', 'redrive', '--destination', name)}\`.`,
        ),
      ]
    })
  },
}
