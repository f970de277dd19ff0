import type { Item } from '@mortise/client'
import { commandLine } from '../command-line.ts'
import { type Check, ok, warning } from './check.ts'

/** Destinations that a manifest names and that do not exist: their messages wait. */
export const queuedMessages: Check = {
  name: 'waiting messages',
  needs: 'project',
  async run({ mortise, terminal: { signal } }) {
    const there = new Set((await mortise.listDestinations({}, { signal })).map(({ name }) => name))
    const users = new Map<string, string>()
    for await (const integration of mortise.each('listIntegrations', {}, { signal }))
      for (const name of destinationsOf(integration)) if (!there.has(name)) users.set(name, integration.name)
    if (users.size === 0) return [ok('Every destination that an integration names exists.')]
    return await Promise.all(
      [...users].map(async ([name, integration]) => {
        const query = { destination: name, state: 'pending' as const, pageSize: 1 }
        const hasMessages = (await mortise.listMessages({ query }, { signal })).length > 0
        return warning(
          `The integration ${integration} delivers to ${name}, which does not exist${hasMessages ? '; messages wait for it' : ''}.`,
          `Create it with the URL of your endpoint: \`${commandLine('create', 'destination', name, 'https://example.com/webhooks')}\`.${hasMessages ? ' Mortise then delivers the waiting messages.' : ''}`,
        )
      }),
    )
  },
}

function destinationsOf({ latestRevision: { content } }: Item<'listIntegrations'>): string[] {
  const { read, subscribe, watchSchema } = content
  const objects = [...(read?.objects ?? []), ...(subscribe?.objects ?? []), ...(watchSchema ? [watchSchema] : [])]
  return objects.map(({ destination }) => destination)
}
