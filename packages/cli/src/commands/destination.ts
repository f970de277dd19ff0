import type { AddCommand } from '../command.ts'
import { addDestinationChangeType } from './destination-change-type.ts'
import { addDestinationDisable } from './destination-disable.ts'
import { addDestinationEnable } from './destination-enable.ts'
import { addDestinationSetConnection } from './destination-set-connection.ts'
import { addDestinationSetGroup } from './destination-set-group.ts'
import { addDestinationTest } from './destination-test.ts'

export const addDestination: AddCommand = (program, terminal) => {
  const destination = program
    .command('destination')
    .description(
      'Test, disable or enable a destination, change its type, or set the destination of a group or connection.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  mortise destination test crm-events\n\nTo create, list or delete destinations: mortise create destination, mortise list destinations, mortise delete destination',
    )
  addDestinationTest(destination, terminal)
  addDestinationDisable(destination, terminal)
  addDestinationEnable(destination, terminal)
  addDestinationChangeType(destination, terminal)
  addDestinationSetGroup(destination, terminal)
  addDestinationSetConnection(destination, terminal)
}
