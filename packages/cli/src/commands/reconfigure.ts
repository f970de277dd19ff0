import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { type ConfigOptions, withConfig } from '../installation/config-options.ts'
import { type InstallationOptions, withInstallation } from '../installation/find-installation.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends ServiceOptions, FormatOptions, ConfigOptions, InstallationOptions {
  connection?: string
  sample: boolean
}

export const addReconfigure: AddCommand = (program, terminal) => {
  const command = program.command('reconfigure').description('Change what an installation reads and writes.')
  withFormat(withService(withConfig(withInstallation(command))))
    .option('--connection <id>', 'another connection of the group')
    .option('--no-sample', 'save without reading one record of each changed object first')
    .addHelpText(
      'after',
      '\nPlain names replace a list. Write + or - before each name to add or remove it.\n\n' +
        'Examples:\n  mortise reconfigure crm --group acme --fields contacts=+phone,-score\n' +
        '  mortise reconfigure crm --group acme --read +companies --map contacts.lifecycle=status\n' +
        '  mortise reconfigure crm --group acme --config acme.yaml',
    )
    .action(async (integrationId: string, options: Options) => {
      const { signal, stdout, stderr } = terminal
      const {
        applyChoices,
        contentOf,
        findInstallation,
        hasChoice,
        installationText,
        readConfigFile,
        requireInstallation,
        updateOf,
      } = await import('../installation/index.ts')
      requireInstallation(options)
      const chosen = hasChoice(options)
      if (options.config !== undefined && chosen)
        throw new UsageError('--config is the whole config. Leave out the other options, or --config.')
      if (options.config === undefined && options.connection === undefined && !chosen)
        throw new UsageError(
          'There is nothing to change. Name a change: --read, --fields, --map, --write, --config and others.',
        )
      const { mortise } = await connectTo(options, terminal)
      const integration = await mortise.getIntegration({ integrationIdOrName: integrationId }, { signal })
      const before = await findInstallation(mortise, integration.name, options, signal)
      const manifest = integration.latestRevision.content
      const stored = contentOf(before)
      const wanted =
        options.config === undefined
          ? applyChoices(manifest, stored, options, false)
          : await readConfigFile(options.config, manifest.provider, terminal)
      const { connection } = options
      const body = updateOf(stored, wanted, connection === before.connection.id ? undefined : connection)
      const installation = body
        ? await mortise.updateInstallation(
            {
              integrationId: integration.id,
              installationId: before.id,
              query: { skipSampling: !options.sample },
              body,
            },
            { signal },
          )
        : before
      if (options.format !== 'text') return printData(terminal, options.format, installation)
      const what = `${integration.name} for ${installation.group.groupRef}`
      stderr.write(
        printable(body ? `Reconfigured ${what}.\n` : `Nothing to change: ${what} has this config already.\n`),
      )
      stdout.write(installationText(installation, terminal.out))
    })
}
