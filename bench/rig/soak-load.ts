import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { installProxied } from './proxied-integration.ts'
import type { Service } from './service.ts'

export const secret = 'bench-secret'

/** Deploys what the soak uses, and connects its customers. Returns where events are sent, and their accounts. */
export async function installSoak(
  service: Service,
  urls: { receiver: string; polls: string },
  customers: number,
): Promise<{ url: string; accounts: string[] }> {
  await service.call('POST', '/destinations', { name: 'events', type: 'webhook', metadata: { url: urls.receiver } })
  await service.call('POST', '/destinations', { name: 'records', type: 'webhook', metadata: { url: urls.receiver } })
  const subscribe = { objects: [{ objectName: 'contacts', destination: 'events', updateEvent: { enabled: 'always' } }] }
  const requiredFields = ['id', 'email'].map((fieldName) => ({ fieldName }))
  const object = { objectName: 'contacts', destination: 'records', schedule: '* * * * *', requiredFields }
  const integrations = [
    { name: 'hooks', provider: 'benchHooks', subscribe },
    { name: 'polls', provider: 'benchPolls', read: { objects: [object] } },
  ]
  await service.call('PUT', '/integrations:batch', {
    sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations }),
  })
  await service.call('POST', '/provider-apps', { provider: 'benchHooks', clientId: 'bench', clientSecret: secret })
  const accounts: string[] = []
  let url = ''
  for (let n = 0; n < customers; n++) {
    const account = `customer-${n}`
    const connection = await connect(service, 'benchHooks', account, urls.polls)
    const { projectId, integrationId } = await service.call<{ projectId: string; integrationId: string }>(
      'POST',
      '/integrations/hooks/installations',
      { groupRef: account, connectionId: connection.id, config: { content: { provider: 'benchHooks' } } },
    )
    url = `${service.url}/subscribe/v1/projects/${projectId}/integrations/${integrationId}`
    accounts.push(account)
    if (n >= customers / 2) continue
    const polled = await connect(service, 'benchPolls', account, urls.polls)
    await installPolls(service, account, polled.id)
  }
  return { url, accounts }
}

function connect(service: Service, provider: string, groupRef: string, url: string): Promise<{ id: string }> {
  return service.call('POST', '/connections:generate', {
    groupRef,
    consumerRef: groupRef,
    provider,
    ...(provider === 'benchHooks' && { providerWorkspaceRef: groupRef }),
    apiKey: 'bench',
    providerMetadata: { url },
  })
}

function installPolls(service: Service, groupRef: string, connectionId: string): Promise<{ id: string }> {
  return service.call('POST', '/integrations/polls/installations', {
    groupRef,
    connectionId,
    config: { content: { provider: 'benchPolls', read: { objects: { contacts: { objectName: 'contacts' } } } } },
  })
}

/** Repeats a step with pauses between until stopped. Keeps the first error. */
function repeat(everyMs: number, step: (n: number) => Promise<unknown>) {
  const stopping = new AbortController()
  const ended = (async () => {
    for (let n = 0; !stopping.signal.aborted; n++) {
      await step(n)
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  // Reported by `stop`.
  ended.catch(() => undefined)
  return async () => {
    stopping.abort()
    await ended
  }
}

/**
 * Starts what runs beside the events: proxied calls, customers who connect, install and leave, and a reader that keeps
 * its snapshot for a minute, as a backup does. Returns a function that stops them, and throws what one of them met.
 */
export async function startBackground(
  service: Service,
  client: Client,
  urls: { proxied: string; polls: string },
): Promise<() => Promise<void>> {
  const headers = await installProxied(service, urls.proxied)
  const stops = [
    repeat(200, async () => {
      const answer = await fetch(`${service.url}/v1/contacts`, { headers })
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`a proxied call was answered ${answer.status}`)
    }),
    repeat(2_000, async (n) => {
      const groupRef = `visitor-${n}`
      const { id } = await connect(service, 'benchPolls', groupRef, urls.polls)
      const installation = await installPolls(service, groupRef, id)
      await service.call('DELETE', `/integrations/polls/installations/${installation.id}`)
      await service.call('DELETE', `/groups/${groupRef}`)
    }),
    repeat(60_000, async () => {
      await client.query('rollback; begin isolation level repeatable read; select count(*) from installations')
    }),
  ]
  return async () => {
    const ends = await Promise.allSettled(stops.map((stop) => stop()))
    await client.query('rollback')
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}
