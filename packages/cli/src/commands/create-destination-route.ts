import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { topicId } from '../resources/topic-id.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'

export const addCreateDestinationRoute: AddCommand = (create, terminal) => {
  withFormat(withService(create.command('destination-route')))
    .description('Send the events of a topic to a destination.')
    .argument('<topic>', 'name or id of the topic')
    .argument('<destination>', 'name or id of the destination')
    .addHelpText('after', '\nExample:\n  mortise create destination-route health crm-events')
    .action(async (topic: string, destination: string, options: ServiceOptions & FormatOptions) => {
      const { signal } = terminal
      const { mortise } = await connectTo(options, terminal)
      const { id: destinationId } = await mortise.getDestination({ destination }, { signal })
      const body = { topicId: await topicId(mortise, topic, signal), destinationId }
      printData(terminal, options.format, await mortise.createTopicDestinationRoute({ body }, { signal }))
    })
}
