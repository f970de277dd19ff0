import type { Output } from '@mortise/client'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { parseTime } from '../parse-time.ts'
import { pluralize } from '../pluralize.ts'
import { connectTo } from '../service/connect.ts'
import { type Format, printable, printData } from '../terminal/print.ts'

interface Options extends ServiceOptions, FormatOptions {
  group: string
  since?: string
  until?: string
  backfill?: boolean
  deletions?: boolean
  wait: boolean
}
type Operation = Output<'getOperation'>

export const addRead: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('read')))
    .description('Read an object of a group now, and show the progress.')
    .argument('<integration>', 'id or name of the integration')
    .argument('<object>', 'name of the object, mapped or as the provider has it')
    .requiredOption('--group <ref>', 'your ref of the group')
    .option('--since <time>', 'records that changed from this time on: 2026-01-31T12:00:00Z, or 2h; else all')
    .option('--until <time>', 'records that changed before this time')
    .option('--backfill', 'run the backfill again; a failed one continues where it stopped')
    .option('--deletions', 'look for deleted records that the provider does not report, instead of reading')
    .option('--no-wait', 'start it, print its operation, and do not wait')
    .addHelpText(
      'after',
      '\nExamples:\n  mortise read crm contacts --group acme --since 7d\n  mortise read crm contacts --group acme --backfill\n  mortise read crm contacts --group acme --deletions',
    )
    .action(async (integrationId: string, objectName: string, options: Options) => {
      const { signal, stderr } = terminal
      const body = {
        groupRef: options.group,
        mode: 'async' as const,
        ...(options.since !== undefined && { sinceTimestamp: parseTime(options.since) }),
        ...(options.until !== undefined && { untilTimestamp: parseTime(options.until) }),
        ...(options.backfill === true && { backfill: true }),
        ...(options.deletions === true && { deletions: true }),
      }
      const { mortise } = await connectTo(options, terminal)
      const { operationId } = await mortise.triggerRead({ integrationId, objectName, body }, { signal })
      const ask = () => mortise.getOperation({ operationId }, { signal })
      if (!options.wait) return print(await ask(), options.format)

      const { waitUntil } = await import('../following/wait-until.ts')
      const { bar, createProgress } = await import('../terminal/progress.ts')
      const progress = createProgress(terminal)
      const askAndShow = async () => {
        const operation = await ask()
        const { done, total } = progressOf(operation)
        const records = total
          ? `${done.toLocaleString('en')} of about ${pluralize(total, 'record')}`
          : pluralize(done, 'record')
        progress.show(`Reading ${objectName} ${bar(done, total)}${records}`)
        return operation
      }
      const ended = await waitUntil(askAndShow, ({ status }) => status !== 'in_progress', signal)
        .finally(progress.end)
        .catch((error: unknown) => {
          if (signal.aborted)
            stderr.write(`The read continues. \`mortise get operation ${operationId}\` shows its status.\n`)
          throw error
        })
      print(ended, options.format)
      if (ended.status === 'failure') throw new Exit(exitCodes.failed)
    })

  function print(operation: Operation, format: Format): void {
    if (format !== 'text') {
      printData(terminal, format, operation)
      return
    }
    const { id, status, result } = operation
    const text = result ?? pluralize(progressOf(operation).done, 'record')
    terminal.stdout.write(printable(`${id} ${status} ${status === 'in_progress' ? '' : text}`.trimEnd()))
    terminal.stdout.write('\n')
  }
}

/** How far a read has come, where its operation tells. */
function progressOf({ metadata }: Operation): { done: number; total: number | undefined } {
  const { recordsProcessed = 0, recordsEstimatedTotal } = (metadata?.progress ?? {}) as {
    recordsProcessed?: number
    recordsEstimatedTotal?: number
  }
  return { done: recordsProcessed, total: recordsEstimatedTotal }
}
