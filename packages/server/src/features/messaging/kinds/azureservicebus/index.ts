import { checkHost } from '../check-host.ts'
import { signatureFields } from '../envelope.ts'
import type { DestinationKind } from '../kind.ts'
import { httpReceivers } from '../receivers.ts'
import { openServiceBus } from './service-bus-sender.ts'
import {
  connectionOf,
  properties,
  readSettings,
  type ServiceBusSettings,
  secretProperties,
  webSocketUrl,
} from './settings.ts'

/** Sends each message to a queue or topic of Azure Service Bus. */
export const azureservicebus: DestinationKind<ServiceBusSettings> = {
  name: 'azureservicebus',
  summary: 'Sends each message to a queue or topic of Azure Service Bus.',
  properties,
  secretProperties,
  receivers: {
    connectionString: {
      settings: ['endpointUrl'],
      of: (settings) => httpReceivers(webSocketUrl(settings).href),
    },
  },
  clientPackages: ['@azure/service-bus', '@azure/logger', 'ws'],
  addressKeys: ['name', 'endpointUrl'],
  limits: { maxBatch: 100, concurrency: 2, timeoutMs: 15_000 },
  readSettings,
  checkSettings: (settings, at, services) =>
    checkHost(
      webSocketUrl(settings).href,
      `${at}.${settings.endpointUrl === undefined ? 'connectionString' : 'endpointUrl'}`,
      services,
      'http',
    ),
  maskSettings: (settings) => settings,
  secretsOf: (settings) => [settings.connectionString, connectionOf(settings).key],
  endpoint: (settings) => `${webSocketUrl(settings).host} ${settings.name}`,
  host: (settings) => webSocketUrl(settings).hostname,
  sendsDataOnly: () => true,
  headers: (_settings, keys, message, time) => signatureFields(keys, message, time),
  open: openServiceBus,
}
