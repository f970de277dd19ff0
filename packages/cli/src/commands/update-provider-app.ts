import { MortiseProblem } from '@mortise/client'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { type AppOptions, partsOf, readSecret, withApp } from '../provider-app/app-options.ts'
import { findProviderApp } from '../resources/provider-apps.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions & FormatOptions & AppOptions

export const addUpdateProviderApp: AddCommand = (update, terminal) => {
  withFormat(withService(withApp(update.command('provider-app'))))
    .description('Change a provider app; its other settings stay the same. Further hosts need --secret-stdin.')
    .argument('<app>', 'id of the provider app, or its provider')
    .addHelpText('after', '\nExample:\n  echo "$SECRET" | mortise update provider-app hubspot --secret-stdin')
    .action(async (idOrProvider: string, options: Options) => {
      const { signal } = terminal
      const parts = partsOf(options)
      if (Object.keys(parts).length === 0 && !options.secretStdin)
        throw new UsageError(
          'There is nothing to change. Name a change: --client-id, --secret-stdin, --scope and others.',
        )
      const secret = options.secretStdin ? { clientSecret: await readSecret(options, terminal) } : {}
      const { mortise } = await connectTo(options, terminal)
      const { id: providerAppId, metadata } = await findProviderApp(mortise, idOrProvider, signal)
      const providerApp = {
        ...parts,
        ...secret,
        // The mask replaces all metadata: what is not named has to stay.
        ...(parts.metadata && {
          metadata: { ...metadata, providerParams: { ...metadata?.providerParams, ...parts.metadata.providerParams } },
        }),
      }
      const update = (change: object) => {
        const body = { updateMask: Object.keys(change), providerApp: change }
        return mortise.updateProviderApp({ providerAppId, body }, { signal })
      }
      const updated = await update(providerApp).catch(async (error: unknown) => {
        const reason = whySecretNeeded(error)
        if (reason === undefined) throw error
        if (!terminal.interactive) throw new UsageError(`${reason} Pass it with --secret-stdin.`)
        terminal.stderr.write(printable(`${reason}\n`))
        return update({ ...providerApp, clientSecret: await readSecret(options, terminal) })
      })
      printData(terminal, options.format, updated)
    })
}

/** Says why the change needs the stored secret again. Undefined if the error is another, or there are more. */
function whySecretNeeded(error: unknown): string | undefined {
  if (!(error instanceof MortiseProblem)) return undefined
  const [issue, ...others] = error.issues
  if (issue?.context?.['code'] !== 'secret-needed' || others.length > 0) return undefined
  return 'The change would send the stored client secret to another receiver, so the secret is needed again.'
}
