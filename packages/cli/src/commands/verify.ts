import type { AddCommand } from '../command.ts'
import { addVerifyClaimedDomain } from './verify-claimed-domain.ts'

export const addVerify: AddCommand = (program, terminal) => {
  const verify = program
    .command('verify')
    .description('Verify a claimed domain.')
    .addHelpText('after', '\nExample:\n  mortise verify claimed-domain example.com')
  addVerifyClaimedDomain(verify, terminal)
}
