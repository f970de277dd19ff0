import type { Output } from '@mortise/client'
import { Option } from 'commander'
import { collect } from '../collect.ts'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'

interface Options extends ServiceOptions, FormatOptions {
  group: string
  type: 'create' | 'update' | 'delete'
  set: string[]
  file?: string
  oneByOne: boolean
  async: boolean
  wait: boolean
}
type Operation = Output<'getOperation'>

export const addWrite: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('write')))
    .description('Create, update or delete records of a group at its provider.')
    .argument('<integration>', 'id or name of the integration')
    .argument('<object>', 'name of the object, as the manifest has it under `write`')
    .requiredOption('--group <ref>', 'your ref of the group')
    .addOption(
      new Option('--type <type>', 'what happens to the records')
        .choices(['create', 'update', 'delete'])
        .default('create'),
    )
    .option('--set <name=value>', 'a value of the record: name=text, or name:=json; can be repeated', collect, [])
    .option('--file <file>', 'a JSON file with a record, or a list of records; `-` reads standard input')
    .option('--one-by-one', 'a request for each record of a list, for providers that take no batches', false)
    .option('--async', 'write in the background, with retries, and show the progress', false)
    .option('--no-wait', 'with --async: print the operations, and do not wait for them')
    .addHelpText(
      'after',
      '\nExamples:\n  mortise write crm contacts --group acme --set email=ada@acme.example\n  mortise write crm contacts --group acme --type update --file contacts.json --async',
    )
    .action(async (integrationId: string, objectName: string, options: Options) => {
      const { signal } = terminal
      const { readRecords, outcomesOf, sendWrite, writeRequests } = await import('../writing/index.ts')
      const { records, isList } = await readRecords(options, terminal)
      const mode = options.async ? ('asynchronous' as const) : ('synchronous' as const)
      const common = { groupRef: options.group, type: options.type, mode }
      const requests = writeRequests(common, records, options.oneByOne)
      const { mortise } = await connectTo(options, terminal)
      const data: unknown[] = []
      const operations: string[] = []
      let failed = false
      const say = (succeeded: boolean, text: string) => {
        failed ||= !succeeded
        if (options.format === 'text') terminal.stdout.write(`${printable(text)}\n`)
      }
      try {
        for (const body of requests) {
          const written = await sendWrite(mortise, { integrationId, objectName }, body, signal)
          for (const { message } of written.warnings ?? [])
            terminal.stderr.write(`${terminal.err.yellow('warning')} ${printable(message)}\n`)
          // Deletes are waited for in any case.
          const isAccepted = options.async && body.type !== 'delete'
          if (isAccepted) operations.push(written.operationId)
          else {
            data.push(written)
            for (const { succeeded, text } of outcomesOf(body, written)) say(succeeded, text)
          }
        }
        for (const operationId of operations) {
          const operation = await ended(operationId)
          data.push(operation)
          const { status, result = '' } = operation
          say(status !== 'failure', `${operationId} ${status} ${result}`.trimEnd())
        }
      } finally {
        // Prints what was written even if a later request failed.
        if (options.format !== 'text' && data.length > 0) printData(terminal, options.format, isList ? data : data[0])
      }
      if (failed) throw new Exit(exitCodes.failed)

      async function ended(operationId: string): Promise<Operation> {
        const ask = () => mortise.getOperation({ operationId }, { signal })
        if (!options.wait) return ask()
        const { waitUntil } = await import('../following/wait-until.ts')
        const { createProgress } = await import('../terminal/progress.ts')
        const progress = createProgress(terminal)
        progress.show(`Writing ${objectName}`)
        return waitUntil(ask, ({ status }) => status !== 'in_progress', signal)
          .finally(progress.end)
          .catch((error: unknown) => {
            if (signal.aborted)
              terminal.stderr.write(`The write continues. \`mortise get operation ${operationId}\` shows its status.\n`)
            throw error
          })
      }
    })
}
