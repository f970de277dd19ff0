import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { pluralize } from '../pluralize.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'
import { deadLetterSelection } from './dead-letter-selection.ts'

type Options = ServiceOptions & FormatOptions & { destination?: string }

export const addDeadLetterDiscard: AddCommand = (deadLetter, terminal) => {
  withFormat(withService(deadLetter.command('discard')))
    .description('Discard dead letters: by id, or all of a destination.')
    .argument('[deadLetters...]', 'ids of dead letters')
    .option('--destination <idOrName>', 'all dead letters of this destination')
    .addHelpText('after', '\nExample:\n  mortise dead-letter discard 0198c2f4-6f7e-7a31-9c52-3d1e5f708192')
    .action(async (ids: string[], { destination, ...options }: Options) => {
      const { signal, stderr } = terminal
      const body = deadLetterSelection(ids, destination)
      const { mortise } = await connectTo(options, terminal)
      let [discarded, more] = [0, true]
      while (more) {
        const step = await mortise.discardDeadLetters({ body }, { signal })
        discarded += step.discarded
        more = step.more
      }
      if (options.format !== 'text') return printData(terminal, options.format, { discarded })
      stderr.write(`Discarded ${pluralize(discarded, 'dead letter')}.\n`)
    })
}
