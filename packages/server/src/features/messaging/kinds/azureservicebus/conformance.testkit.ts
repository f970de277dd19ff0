import type { KindHarness } from '../conformance.testkit.ts'
import { retried } from '../http-target.testkit.ts'
import { failures } from './bad-answers.testkit.ts'
import { startFakeServiceBus } from './fake-service-bus.testkit.ts'

const key = 'c2VydmljZS1idXMta2V5LW9mLXRoZS10ZXN0cw=='
export const policy = {
  name: 'crm/messages',
  endpoint: 'sb://crm-events.servicebus.windows.net',
  keyName: 'Send.Only',
  key,
}
export const settings = {
  name: policy.name,
  connectionString: `Endpoint=${policy.endpoint}/;SharedAccessKeyName=${policy.keyName};SharedAccessKey=${key}`,
}

export const harness: KindHarness = {
  refusesBad: true,
  settingsFor: (host, port) => ({ ...settings, endpointUrl: `https://${host}:${port}/` }),
  wrong: {
    input: { name: '/queue', endpointUrl: 'ftp://example.com', connectionString: 'Endpoint=sb://x/' },
    names: ['name', 'endpointUrl', 'connectionString'],
  },
  failures: {
    ...retried(Object.fromEntries(failures.map((name) => [name, true]))),
    'takes no message of this size': 'refused',
  },
  async start() {
    const fake = await startFakeServiceBus(policy)
    return { ...fake, settings: { ...settings, endpointUrl: `http://127.0.0.1:${fake.port}/` }, secret: key }
  },
}
