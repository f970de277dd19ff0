import type { AddCommand } from '../command.ts'
import { addProviderTest } from './provider-test.ts'

export const addProvider: AddCommand = (program, terminal) => {
  const provider = program
    .command('provider')
    .description('Work on a provider file.')
    .addHelpText('after', '\nExample:\n  mortise provider test providers/acme.yaml --connection $CONNECTION')
  addProviderTest(provider, terminal)
}
