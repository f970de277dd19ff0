import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { commandLine } from '../command-line.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'
import { deadLetterSelection } from './dead-letter-selection.ts'

type Options = ServiceOptions & FormatOptions & { destination?: string }

export const addDeadLetterRedrive: AddCommand = (deadLetter, terminal) => {
  withFormat(withService(deadLetter.command('redrive')))
    .description('Send dead letters again: by id, or all of a destination.')
    .argument('[deadLetters...]', 'ids of dead letters')
    .option('--destination <idOrName>', 'all dead letters of this destination')
    .addHelpText('after', '\nExample:\n  mortise dead-letter redrive --destination crm-tables')
    .action(async (ids: string[], { destination, ...options }: Options) => {
      const { signal, stderr } = terminal
      const body = deadLetterSelection(ids, destination)
      const { mortise } = await connectTo(options, terminal)
      const begun = await mortise.redriveDeadLetters({ body }, { signal })
      if (options.format !== 'text') return printData(terminal, options.format, begun)
      stderr.write(printable(`They are sent again. See the progress: ${commandLine('get', 'replay', begun.id)}\n`))
    })
}
