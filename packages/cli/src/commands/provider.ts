import type { AddCommand } from '../command.ts'
import { addProviderCheck } from './provider-check.ts'
import { addProviderTest } from './provider-test.ts'

export const addProvider: AddCommand = (program, terminal) => {
  const provider = program
    .command('provider')
    .description('Check a provider file, or test it with a connection.')
    .showSuggestionAfterError(false)
    .addHelpText(
      'after',
      '\nExample:\n  mortise provider check providers/*.yaml\n  mortise provider test providers/acme.yaml --connection $CONNECTION\n\nThe catalog: mortise list providers, mortise get provider <name>',
    )
  addProviderCheck(provider, terminal)
  addProviderTest(provider, terminal)
}
