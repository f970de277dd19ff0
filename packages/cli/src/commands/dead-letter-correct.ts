import { text } from 'node:stream/consumers'
import { parseJson } from '../assignment.ts'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { commandLine } from '../command-line.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions & FormatOptions

export const addDeadLetterCorrect: AddCommand = (deadLetter, terminal) => {
  withFormat(withService(deadLetter.command('correct')))
    .description('Replace the records of a dead letter by those on standard input.')
    .argument('<deadLetter>', 'id of the dead letter')
    .addHelpText(
      'after',
      '\nExample:\n  mortise get dead-letter ID --format json | jq .records > records.json\n  mortise dead-letter correct ID < records.json',
    )
    .action(async (deadLetterId: string, options: Options) => {
      const { signal, stderr, stdin } = terminal
      const given = (await text(stdin)).trim()
      if (given === '') throw new UsageError('Standard input is empty. Write the records as a JSON array.')
      const records = parseJson('The standard input', given)
      if (!Array.isArray(records)) throw new UsageError('Write the records as a JSON array.')
      const { mortise } = await connectTo(options, terminal)
      const corrected = await mortise.updateDeadLetter({ deadLetterId, body: { records } }, { signal })
      if (options.format !== 'text') return printData(terminal, options.format, corrected)
      const redrive = commandLine('dead-letter', 'redrive', deadLetterId)
      stderr.write(printable(`Corrected ${deadLetterId}. To send it again: ${redrive}\n`))
    })
}
