import type { Service } from './service.ts'

/** Connects a customer and installs an integration that may be proxied; returns the headers of a call. */
export async function installProxied(
  service: Pick<Service, 'apiKey' | 'call'>,
  providerUrl: string,
): Promise<Record<string, string>> {
  const sourceYaml =
    'specVersion: 1.0.0\nintegrations:\n  - { name: bench, provider: benchCrm, proxy: { enabled: true } }\n'
  await service.call('PUT', '/integrations:batch', { sourceYaml })
  const connection = await service.call<{ id: string }>('POST', '/connections:generate', {
    groupRef: 'acme',
    consumerRef: 'acme',
    provider: 'benchCrm',
    apiKey: 'bench',
    providerMetadata: { url: providerUrl, pages: '1' },
  })
  const installation = await service.call<{ id: string }>('POST', '/integrations/bench/installations', {
    groupRef: 'acme',
    connectionId: connection.id,
    config: { content: { provider: 'benchCrm', proxy: { enabled: true } } },
  })
  return {
    'x-api-key': service.apiKey,
    'x-mortise-proxy-version': '1',
    'x-mortise-project-id': 'default',
    'x-mortise-installation-id': installation.id,
  }
}
