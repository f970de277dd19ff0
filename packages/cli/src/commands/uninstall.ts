import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { type InstallationOptions, withInstallation } from '../installation/find-installation.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions & FormatOptions & InstallationOptions & { yes?: boolean }

export const addUninstall: AddCommand = (program, terminal) => {
  withFormat(withService(withInstallation(program.command('uninstall'))))
    .description('Remove an installation: its reads stop, and its connection is deleted if nothing else uses it.')
    .option('-y, --yes', 'do not ask for confirmation')
    .addHelpText('after', '\nExample:\n  mortise uninstall crm --group acme --yes')
    .action(async (integrationId: string, options: Options) => {
      const { signal, stderr, interactive, ask } = terminal
      const { findInstallation, requireInstallation } = await import('../installation/index.ts')
      requireInstallation(options)
      const { mortise } = await connectTo(options, terminal)
      const { id, group, connection } = await findInstallation(mortise, integrationId, options, signal)
      const what = printable(`${integrationId} for ${group.groupRef}`)
      if (!options.yes && !interactive)
        throw new UsageError(`This is not a terminal, so nobody can confirm. To uninstall ${what}, add --yes.`)
      const question = `Uninstall ${what}? Its reads stop. Its connection is deleted if nothing else uses it.`
      if (!options.yes && !(await ask.confirm(question, { initial: false }))) {
        stderr.write('Nothing was changed.\n')
        throw new Exit(exitCodes.cancelled)
      }
      await mortise.deleteInstallation({ integrationId, installationId: id }, { signal })
      if (options.format === 'text') stderr.write(`Uninstalled ${what}.\n`)
      else {
        const deleted = { installationId: id, integration: integrationId, groupRef: group.groupRef }
        printData(terminal, options.format, { ...deleted, connectionId: connection.id })
      }
    })
}
