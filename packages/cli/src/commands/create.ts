import type { AddCommand } from '../command.ts'
import { addCreateApiKey } from './create-api-key.ts'
import { addCreateClaimedDomain } from './create-claimed-domain.ts'
import { addCreateDestination } from './create-destination.ts'
import { addCreateDestinationRoute } from './create-destination-route.ts'
import { addCreateEventRoute } from './create-event-route.ts'
import { addCreateInvite } from './create-invite.ts'
import { addCreatePasswordReset } from './create-password-reset.ts'
import { addCreateProviderApp } from './create-provider-app.ts'
import { addCreateTopic } from './create-topic.ts'

export const addCreate: AddCommand = (program, terminal) => {
  const create = program
    .command('create')
    .description('Create a destination, an API key, a provider app, a topic, a route or an invite.')
    .addHelpText('after', '\nExample:\n  mortise create destination crm-events https://example.com/webhooks')
  addCreateDestination(create, terminal)
  addCreateApiKey(create, terminal)
  addCreateTopic(create, terminal)
  addCreateEventRoute(create, terminal)
  addCreateDestinationRoute(create, terminal)
  addCreateClaimedDomain(create, terminal)
  addCreatePasswordReset(create, terminal)
  addCreateInvite(create, terminal)
  addCreateProviderApp(create, terminal)
}
