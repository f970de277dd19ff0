import type { AddCommand } from '../command.ts'
import { addDestinationDisable } from './destination-disable.ts'
import { addDestinationEnable } from './destination-enable.ts'
import { addDestinationTest } from './destination-test.ts'

export const addDestination: AddCommand = (program, terminal) => {
  const destination = program
    .command('destination')
    .description('Test, disable or enable a destination.')
    .addHelpText(
      'after',
      '\nExample:\n  mortise destination test crm-events\n\nTo create, list or delete destinations: mortise create destination, mortise list destinations, mortise delete destination',
    )
  addDestinationTest(destination, terminal)
  addDestinationDisable(destination, terminal)
  addDestinationEnable(destination, terminal)
}
