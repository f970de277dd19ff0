import type { Output } from '@mortise/client'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { pluralize } from '../pluralize.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends ServiceOptions, FormatOptions {
  integration?: string
  group?: string
  object?: string
  follow?: boolean
  cancel?: boolean
}
type Resend = Output<'getResend'>

export const addResend: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('resend')))
    .description('Fill a destination with the records that are there already.')
    .argument('<destination>', 'id or name of the destination')
    .option('--integration <idOrName>', 'only installations of this integration')
    .option('--group <ref>', 'only installations of this group')
    .option('--object <name>', 'only this object, mapped or as the provider has it')
    .option('--follow', 'show the progress, and wait until it ends')
    .option('--cancel', 'cancel the resend that is in progress')
    .addHelpText(
      'after',
      '\nExamples:\n  mortise resend crm-tables --follow\n  mortise resend crm-tables --integration crm --object contacts\n  mortise resend crm-tables --cancel',
    )
    .action(async (destination: string, options: Options) => {
      const { signal, stderr } = terminal
      const { integration, group, object } = options
      const filters = [integration, group, object].filter((value) => value !== undefined)
      if (options.cancel && (options.follow || filters.length > 0))
        throw new UsageError('--cancel takes no --follow and no filter.')
      const { mortise } = await connectTo(options, terminal)
      if (options.cancel) return print(await mortise.cancelResend({ destination }, { signal }), options)
      const body = {
        ...(integration !== undefined && { integration }),
        ...(group !== undefined && { groupRef: group }),
        ...(object !== undefined && { objectName: object }),
      }
      const begun = await mortise.resendToDestination({ destination, body }, { signal })
      const shown = options.follow ? await follow() : begun
      print(shown, options)
      if (shown.status === 'failure') throw new Exit(exitCodes.failed)

      async function follow(): Promise<Resend> {
        const { waitUntil } = await import('../following/wait-until.ts')
        const { bar, createProgress } = await import('../terminal/progress.ts')
        const progress = createProgress(terminal)
        const ask = async () => {
          const resend = await mortise.getResend({ destination }, { signal })
          const { done, total } = resend.reads
          progress.show(`Resending ${bar(done, resend.isListed ? total : undefined)}${counts(resend)}`)
          return resend
        }
        return await waitUntil(ask, ({ id, status }) => id !== begun.id || status !== 'in_progress', signal)
          .finally(progress.end)
          .catch((error: unknown) => {
            if (signal.aborted) stderr.write('The resend continues. Run the command again to see its progress.\n')
            throw error
          })
      }
    })

  function print(resend: Resend, { format }: Options): void {
    if (format !== 'text') {
      printData(terminal, format, resend)
      return
    }
    const { stdout } = terminal
    stdout.write(`${resend.id} ${resend.status}: ${counts(resend)}\n`)
    for (const { integration, groupRef, installationId, objectName, error } of resend.failures)
      stdout.write(
        printable(`Failed: ${objectName} of ${groupRef ?? installationId}${integration ? ` (${integration})` : ''}: `) +
          `${printable(error)}\n`,
      )
    const more = resend.reads.failed - resend.failures.length
    if (more > 0) stdout.write(`${pluralize(more, 'more read')} failed.\n`)
  }
}

function counts({ installations, isListed, records, waitsFor, status }: Resend): string {
  const { done, total, failed } = installations
  const ofHowMany = `${done.toLocaleString('en')} of ${isListed ? '' : 'at least '}${pluralize(total, 'installation')}`
  const parts = [
    total === 0 && isListed && status !== 'canceled' ? 'no installation sends records here' : ofHowMany,
    ...(failed > 0 ? [`${failed.toLocaleString('en')} failed`] : []),
    pluralize(records, 'record'),
    ...(waitsFor === 'destination' ? ['waits until the destination is enabled'] : []),
  ]
  return parts.join(', ')
}
