import type { AddCommand } from '../command.ts'
import { addProviderCheck } from './provider-check.ts'
import { addProviderLearn } from './provider-learn.ts'
import { addProviderTest } from './provider-test.ts'

export const addProvider: AddCommand = (program, terminal) => {
  const provider = program
    .command('provider')
    .description('Write a first provider file, check one, or test it with a connection.')
    .showSuggestionAfterError(false)
    .addHelpText(
      'after',
      '\nExample:\n  mortise provider learn openapi.yaml --out providers/acme.yaml\n  mortise provider check providers/*.yaml\n  mortise provider test providers/acme.yaml --connection $CONNECTION\n\nThe catalog: mortise list providers, mortise get provider <name>',
    )
  addProviderLearn(provider, terminal)
  addProviderCheck(provider, terminal)
  addProviderTest(provider, terminal)
}
