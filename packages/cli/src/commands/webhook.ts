import { text } from 'node:stream/consumers'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { type InstallationOptions, withInstallation } from '../installation/find-installation.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions & FormatOptions & InstallationOptions & { secretStdin?: boolean; endPrevious?: boolean }

export const addWebhook: AddCommand = (program, terminal) => {
  withFormat(withService(withInstallation(program.command('webhook'))))
    .description('Show the webhook that a customer sets up at the provider, or save its secret.')
    .option('--secret-stdin', 'read the secret of the webhook from standard input, and save it')
    .option('--end-previous', 'with --secret-stdin: refuse former secrets now, not in 24 hours')
    .addHelpText('after', '\nExample:\n  echo "$SECRET" | mortise webhook crm --group acme --secret-stdin')
    .action(async (integrationId: string, { secretStdin, endPrevious, ...options }: Options) => {
      const { signal, stdin } = terminal
      const { findInstallation, requireInstallation } = await import('../installation/index.ts')
      requireInstallation(options)
      if (endPrevious && !secretStdin) throw new UsageError('--end-previous needs a new secret: add --secret-stdin.')
      const secret = secretStdin ? (await text(stdin)).trim() : undefined
      if (secret === '') throw new UsageError('The secret is empty. Copy it from the webhook at the provider.')
      const { mortise } = await connectTo(options, terminal)
      const { id: installationId } = await findInstallation(mortise, integrationId, options, signal)
      const which = { integrationId, installationId }
      const webhook =
        secret === undefined
          ? await mortise.getInstallationWebhook(which, { signal })
          : await mortise.setWebhookSecret(
              { ...which, body: { secret, ...(endPrevious && { endPrevious }) } },
              { signal },
            )
      printData(terminal, options.format, webhook)
    })
}
