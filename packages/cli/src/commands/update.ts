import type { AddCommand } from '../command.ts'
import { addUpdateBuilder } from './update-builder.ts'
import { addUpdateProviderApp } from './update-provider-app.ts'

export const addUpdate: AddCommand = (program, terminal) => {
  const update = program
    .command('update')
    .description('Change a provider app, or the role of a builder.')
    .addHelpText('after', '\nExample:\n  mortise update builder ada@example.com --role owner')
  addUpdateBuilder(update, terminal)
  addUpdateProviderApp(update, terminal)
}
