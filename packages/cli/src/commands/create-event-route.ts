import type { Input } from '@mortise/client'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { topicId } from '../resources/topic-id.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'

type EventType = Input<'createEventTopicRoute'>['body']['eventType']

export const addCreateEventRoute: AddCommand = (create, terminal) => {
  withFormat(withService(create.command('event-route')))
    .description('Route the events of a type to a topic.')
    .argument('<event>', 'type of the events, such as connection.created')
    .argument('<topic>', 'name or id of the topic')
    .addHelpText('after', '\nExample:\n  mortise create event-route connection.error health')
    .action(async (event: string, topic: string, options: ServiceOptions & FormatOptions) => {
      const { signal } = terminal
      const { mortise } = await connectTo(options, terminal)
      // The service knows which types there are, and says so.
      const body = { eventType: event as EventType, topicId: await topicId(mortise, topic, signal) }
      printData(terminal, options.format, await mortise.createEventTopicRoute({ body }, { signal }))
    })
}
