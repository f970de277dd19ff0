import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { type InstallationOptions, withInstallation } from '../installation/find-installation.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions & InstallationOptions & { note?: string }

export const addResume: AddCommand = (program, terminal) => {
  withFormat(withService(withInstallation(program.command('resume'))))
    .description('Resume paused reads; the next read covers the whole pause.')
    .argument('[objects...]', 'names of objects; all when absent')
    .option('--note <text>', 'a note for the log')
    .addHelpText('after', '\nExample:\n  mortise resume crm --group acme')
    .action(async (integrationId: string, objects: string[], { note, ...options }: Options) => {
      const { signal, stderr } = terminal
      const { findInstallation, requireInstallation } = await import('../installation/index.ts')
      requireInstallation(options)
      const { mortise } = await connectTo(options, terminal)
      const { id, group } = await findInstallation(mortise, integrationId, options, signal)
      const body = { ...(objects.length > 0 && { objects }), ...(note !== undefined && { note }) }
      await mortise.unpauseReads({ integrationId, installationId: id, body }, { signal })
      if (options.format === 'text') {
        const what = objects.length > 0 ? objects.join(', ') : 'all scheduled reads'
        stderr.write(printable(`Resumed ${what} of ${integrationId} for ${group.groupRef}.\n`))
      } else
        printData(terminal, options.format, { installationId: id, groupRef: group.groupRef, ...body, state: 'resumed' })
    })
}
