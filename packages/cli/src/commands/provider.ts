import type { AddCommand } from '../command.ts'
import { addProviderCheck } from './provider-check.ts'
import { addProviderTest } from './provider-test.ts'

export const addProvider: AddCommand = (program, terminal) => {
  const provider = program
    .command('provider')
    .description('Work on a provider file.')
    .showSuggestionAfterError(false)
    // What people look for here stands with the other things that can be listed.
    .showHelpAfterError(
      '(mortise list providers shows the catalogue, mortise get provider <name> one of them)\n(mortise provider --help lists what can be done with a provider file)',
    )
    .addHelpText(
      'after',
      '\nExample:\n  mortise provider check providers/*.yaml\n  mortise provider test providers/acme.yaml --connection $CONNECTION\n\nThe catalogue: mortise list providers, mortise get provider <name>',
    )
  addProviderCheck(provider, terminal)
  addProviderTest(provider, terminal)
}
