import type { AddCommand } from '../command.ts'
import { changesReads } from './change-reads.ts'

export const addResume: AddCommand = (program, terminal) => {
  const command = program
    .command('resume')
    .description('Resume paused reads; the next read covers the whole pause.')
    .addHelpText('after', '\nExample:\n  mortise resume crm --group acme')
  changesReads(command, terminal, { endpoint: 'unpauseReads', state: 'resumed' })
}
