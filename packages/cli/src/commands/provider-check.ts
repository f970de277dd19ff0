import { type AddCommand, type FormatOptions, withFormat } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'

export const addProviderCheck: AddCommand = (provider, terminal) => {
  withFormat(provider.command('check'))
    .description('Check provider files offline: every error with its line, column and what to write instead.')
    .argument('<file...>', 'provider files, or folders of them')
    .addHelpText('after', '\nExample:\n  mortise provider check providers/acme.yaml --format json')
    .action(async (paths: string[], { format }: FormatOptions) => {
      const { checkAndPrint } = await import('../provider-checking/index.ts')
      if (!(await checkAndPrint(paths, format, terminal))) throw new Exit(exitCodes.invalid)
    })
}
