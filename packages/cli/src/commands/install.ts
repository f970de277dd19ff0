import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { commandLine } from '../command-line.ts'
import { type ConfigOptions, withConfig } from '../installation/config-options.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends ServiceOptions, FormatOptions, ConfigOptions {
  group: string
  connection?: string
  sample: boolean
}

export const addInstall: AddCommand = (program, terminal) => {
  const command = program
    .command('install')
    .description('Install an integration for a group: choose what to read and write, and start the backfill.')
    .argument('<integration>', 'id or name of the integration')
    .requiredOption('--group <ref>', 'your ref of the group')
  withFormat(withService(withConfig(command)))
    .option('--connection <id>', 'the connection to use; by default the newest of the group')
    .option('--no-sample', 'save without reading one record of each object first')
    .addHelpText(
      'after',
      '\nWithout options, the installation gets every object that the manifest declares. An object without required fields ' +
        'gets its optional fields, unless --fields or --map chooses some. Fields that need a mapping are left out.\n\n' +
        'Examples:\n  mortise install crm --group acme\n' +
        '  mortise install crm --group acme --read contacts --fields contacts=first_name,score --map contacts.lifecycle=stage\n' +
        '  mortise install crm --group acme --config acme.yaml',
    )
    .action(async (integrationId: string, options: Options) => {
      const { signal, stdout, stderr } = terminal
      const { applyChoices, contentOfManifest, hasChoice, installationText, readConfigFile, withDefaultFields } =
        await import('../installation/index.ts')
      if (options.config !== undefined && hasChoice(options))
        throw new UsageError('--config is the whole config. Leave out the other options, or --config.')
      const { mortise } = await connectTo(options, terminal)
      const integration = await mortise.getIntegration({ integrationIdOrName: integrationId }, { signal })
      const manifest = integration.latestRevision.content
      const content =
        options.config === undefined
          ? withDefaultFields(manifest, applyChoices(manifest, contentOfManifest(manifest), options, true))
          : await readConfigFile(options.config, manifest.provider, terminal)
      const installation = await mortise.createInstallation(
        {
          integrationId: integration.id,
          query: { skipSampling: !options.sample },
          body: {
            groupRef: options.group,
            ...(options.connection !== undefined && { connectionId: options.connection }),
            config: { content },
          },
        },
        { signal },
      )
      if (options.format !== 'text') return printData(terminal, options.format, installation)
      stderr.write(printable(`Installed ${integration.name} for ${options.group}.\n`))
      stdout.write(installationText(installation, terminal.out))
      const follow = commandLine('list', 'operations', '--integration', integration.name, '--group', options.group)
      stderr.write(printable(`Follow its reads: ${follow}\n`))
    })
}
