import { Option } from 'commander'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Plan } from '../manifest/index.ts'
import { manifestArgument } from '../manifest/manifest-names.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData, printList } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends ServiceOptions, FormatOptions {
  strict: boolean
  destructive?: boolean
  keep?: boolean
  yes?: boolean
}

/**
 * Sends the text of the manifest in the request itself: one request, whose answer is the whole outcome. An upload would
 * need a second address (that of the signed URL) to be reachable from here, and a manifest is one file that always
 * fits.
 */
export const addDeploy: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('deploy')))
    .description('Deploy the integrations of a manifest.')
    .argument(...manifestArgument)
    .option('--strict', 'refuse what cannot work', true)
    .option('--no-strict', 'deploy it anyway, with warnings')
    .option('--destructive', 'pause the reads of removed objects for every installation')
    .addOption(
      new Option('--keep', 'continue to read removed objects for customers who installed them').conflicts(
        'destructive',
      ),
    )
    .option('-y, --yes', 'ask no questions: like --keep, unless you add --destructive')
    .addHelpText('after', '\nExamples:\n  mortise deploy\n  mortise deploy integrations/ --yes --project staging')
    .action(async (path: string | undefined, options: Options) => {
      const manifest = await import('../manifest/index.ts')
      const { signal, stderr, err } = terminal
      const file = await manifest.readManifestFile(path, terminal)
      const { mortise } = await connectTo(options, terminal)
      const { findings, plan } = await manifest.planDeploy(mortise, file, { ...options, signal })
      if (!plan) {
        manifest.printFindings(terminal, options.format, file, findings)
        throw new Exit(exitCodes.invalid)
      }
      stderr.write(manifest.planText(plan, err))
      const destructive = await isDestructive(plan, options, terminal)

      const query = { strict: options.strict, destructive }
      const deployed = await mortise
        .batchUpsertIntegrations({ query, body: { sourceYaml: file.text } }, { signal })
        .catch((error: unknown) => {
          // The state of the service has changed since the validation.
          const refused = manifest.findingsOfProblem(error)
          if (refused.length === 0) throw error
          manifest.printFindings(terminal, options.format, file, refused)
          throw new Exit(exitCodes.invalid)
        })

      const planned = new Map(plan.integrations.map((integration) => [integration.name, integration]))
      const rows = deployed.map(({ id, name, provider, latestRevision }) => {
        const before = planned.get(name)
        // From the response: somebody else may have deployed since the plan was made.
        const result = before?.revisionId === latestRevision.id ? 'unchanged' : before?.id ? 'changed' : 'added'
        const { installations = { count: 0, groups: [] } } = before ?? {}
        return { name, provider, result, id, revisionId: latestRevision.id, installations }
      })
      const changed = rows.some(({ result }) => result !== 'unchanged')
      if (options.format !== 'text') {
        printData(terminal, options.format, {
          changed,
          destructive,
          integrations: rows,
          ...manifest.findingsData(file, findings),
        })
        return
      }
      printList(terminal, 'text', rows, [
        ['Integration', ({ name }) => name],
        ['Provider', ({ provider }) => provider],
        ['Result', ({ result }) => result],
        ['Revision', ({ revisionId }) => revisionId],
      ])
      manifest.mentionFindings(terminal, file, findings)
      if (changed) stderr.write(`${err.green('deployed')}: ${file.name}\n`)
      else if (destructive)
        stderr.write('No integration changed. Mortise pauses the reads of objects that the manifest does not have.\n')
      else stderr.write('Nothing changed.\n')
    })
}

/**
 * Whether reads of removed objects are paused: what the options say, else what the person in front of the terminal
 * says.
 */
async function isDestructive(plan: Plan, options: Options, terminal: Terminal): Promise<boolean> {
  if (options.destructive) return true
  const removing = plan.integrations.filter(
    ({ removedReadObjects, installations }) => removedReadObjects.length > 0 && installations.count > 0,
  )
  if (removing.length === 0 || options.keep || options.yes) return false
  const { installationsText } = await import('../manifest/index.ts')
  const list = removing.map(
    ({ name, removedReadObjects, installations }) =>
      `  ${removedReadObjects.join(', ')} of ${name} (${installationsText(installations)})`,
  )
  const notice = printable(['No longer in the manifest, but installed:', ...list].join('\n'))
  if (!terminal.interactive)
    throw new UsageError(
      `${notice}\nAdd --keep to continue to read them for customers who installed them, or --destructive to pause them for all customers. Nothing was changed.`,
    )
  terminal.stderr.write(`${notice}\n`)
  const answer = await terminal.ask.select('What should happen to these reads?', [
    { value: 'keep', label: 'keep reading', hint: 'for customers who installed them' },
    { value: 'pause', label: 'pause everywhere', hint: 'for every installation' },
    { value: 'cancel', label: 'cancel the deploy' },
  ])
  if (answer === 'cancel') {
    terminal.stderr.write('Nothing was changed.\n')
    throw new Exit(exitCodes.cancelled)
  }
  return answer === 'pause'
}
