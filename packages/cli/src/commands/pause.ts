import type { AddCommand } from '../command.ts'
import { changesReads } from './change-reads.ts'

export const addPause: AddCommand = (program, terminal) => {
  const command = program
    .command('pause')
    .description('Pause the scheduled reads of an installation, or of some of its objects.')
    .addHelpText('after', '\nExample:\n  mortise pause crm contacts --group acme --note "their CRM is being migrated"')
  changesReads(command, terminal, { endpoint: 'pauseReads', state: 'paused' })
}
