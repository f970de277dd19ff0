import type { KeyObject } from 'node:crypto'
import { appValuesIn, type Catalogue, keySource, verifyingKeys, type Webhooks, webhooksOf } from '@mortise/providers'
import type { Database, ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { Outbound } from '../../../kernel/net/index.ts'
import { NodeCache, type PubSub, topic } from '../../../kernel/pubsub/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { metadataValues } from '../../accounts/connection-inputs/index.ts'
import { findSigningSecret } from '../../accounts/credentials/index.ts'
import { latestContent } from '../../integrations/integrations/index.ts'
import { appValue, findProviderApp, listAppsOf, type ProviderAppRow } from '../../integrations/provider-apps/index.ts'
import { createKeySets, type KeySets } from './key-sets.ts'
import { findReceiver, type ReceiverRow } from './receiver-store.ts'
import { openRegistrationSecret } from './registration-secret.ts'
import { listRegistrations } from './store.ts'
import { openWebhookSecrets } from './webhook-secret.ts'

/** The target of events, as a URL names it. */
export interface ReceiverName {
  projectId: string
  integrationId: string
  installationId?: string
}

/** What is needed to verify an event and to find its installations. */
export interface Receiver {
  integrationId: string
  installationId: string | undefined
  provider: string
  webhooks: Webhooks
  /** Returns the keys that may sign events: those of one registration, or of any. */
  keysOf(registrationId: string | undefined): readonly KeyObject[]
  /** The provider's ids of registrations. */
  providerIds: Map<string, string>
  /** Objects by registration, where each object has one. */
  objects: Map<string, string>
  /** Values of the provider apps or of the connection that requests contain, by name. */
  tokens: ReadonlyMap<string, readonly string[]>
}

/** Maximum age of a cached receiver without a notification. */
const maxAgeMs = 60_000
/** The same while notifications cannot be received. Short, because the cache contains secrets. */
const disconnectedMaxAgeMs = 5_000
/** A receiver looked up within this time is not looked up again, however many requests have a wrong signature. */
const freshMs = 1_000
const receiversMax = 10_000
const appsMax = 20

export interface Receivers {
  find(name: ReceiverName): Promise<Receiver | undefined>
  /** Looks it up again. Undefined if it was looked up just now. */
  findAgain(name: ReceiverName): Promise<Receiver | undefined>
  /** Drops all secrets. */
  stop(): void
}

/** Receivers of a project, or of one installation of it (`PROJECT INSTALLATION`), have changed. Triggers publish it. */
const receiversTopic = topic('receivers')

export function createReceivers(services: {
  database: Database
  keyring: Keyring
  catalogue: Catalogue
  pubsub: Pick<PubSub, 'subscribe'>
  now: () => Date
  outbound: Outbound
  log: Logger
}): Receivers {
  const keySets = createKeySets(services)
  const cache = new NodeCache<{ receiver: Receiver | undefined; time: number }, ReceiverName, string>({
    pubsub: services.pubsub,
    now: services.now,
    entriesMax: receiversMax,
    maxAgeMs,
    disconnectedMaxAgeMs,
    topic: receiversTopic,
    invalidates:
      (changed) =>
      ({ key }) =>
        key.startsWith(`${changed} `),
    load: async (_, name) => {
      const time = performance.now()
      const db = services.database.forProject(name.projectId)
      return { receiver: await loadReceiver(db, { ...services, keySets }, name), time }
    },
  })
  const keyOf = ({ projectId, integrationId, installationId = '' }: ReceiverName) =>
    `${projectId} ${installationId} ${integrationId}`
  return {
    async find(name) {
      const key = keyOf(name)
      return (cache.peek(key, name) ?? (await cache.get(key, name)))?.receiver
    },
    async findAgain(name) {
      const known = cache.peek(keyOf(name), name)
      if (known && performance.now() - known.time < freshMs) return undefined
      return (await cache.reload(keyOf(name), name))?.receiver
    },
    stop: () => cache.close(),
  }
}

async function loadReceiver(
  db: ProjectDb,
  { keyring, catalogue, keySets, now }: { keyring: Keyring; catalogue: Catalogue; keySets: KeySets; now: () => Date },
  name: ReceiverName,
): Promise<Receiver | undefined> {
  const row = await findReceiver(db, name)
  const entry = row && catalogue.find(row.provider)
  const hasModules = Object.keys(entry?.modules ?? {}).length > 0
  const module = row && hasModules ? (await latestContent(db, row.integrationId))?.module : undefined
  const webhooks = webhooksOf(entry, module)
  // The URL of all installations does not accept events of one installation, nor the other way round.
  if (!row || !webhooks || (webhooks.endpoint === 'app') !== (name.installationId === undefined)) return undefined
  const source = keySource(webhooks.verify)
  const tokenNames = appValuesIn(webhooks)
  const apps = source.from === 'app' || tokenNames.length > 0 ? await appsOf(db, row, name) : []
  const tokens = new Map<string, readonly string[]>(
    tokenNames.map((token) => [token, apps.flatMap((app) => appValue(keyring, app, token) ?? [])]),
  )
  const sender = webhooks.verify.by === 'publicKey' ? webhooks.verify.sender : undefined
  const senderValue = sender && metadataValues(row.providerMetadata)[sender.name]
  if (sender && senderValue !== undefined) tokens.set(sender.name, [senderValue])
  const registrations = name.installationId === undefined ? [] : await listRegistrations(db, [name.installationId])
  const keys: KeyObject[] = []
  const keysByRegistration = new Map<string, KeyObject[]>()
  if (source.from === 'connection')
    keys.push(...keysIn(webhooks, metadataValues(row.providerMetadata)[source.name ?? '']))
  else if (source.from === 'url') keys.push(...keysIn(webhooks, await keySets.get(source.url)))
  else if (source.from === 'file') keys.push(...keysIn(webhooks, source.value))
  else if (source.from === 'app')
    for (const app of apps) keys.push(...keysIn(webhooks, appValue(keyring, app, source.name ?? 'clientSecret')))
  else if (source.from === 'installation')
    for (const secret of await openWebhookSecrets(db, { keyring, now }, name.installationId ?? ''))
      keys.push(...keysIn(webhooks, secret))
  else if (source.from === 'credential')
    keys.push(...keysIn(webhooks, await findSigningSecret(db, { keyring }, row.connectionId ?? '')))
  else if (source.from !== 'certificate')
    for (const registration of registrations) {
      const own = keysIn(webhooks, openRegistrationSecret({ keyring }, db.projectId, registration))
      keys.push(...own)
      keysByRegistration.set(registration.id, own)
    }
  const objects = registrations.flatMap(({ id, object }): [string, string][] => (object === null ? [] : [[id, object]]))
  const { integrationId, provider } = row
  // All registrations share the keys.
  const isShared = source.from !== 'answer' && source.from !== 'generated'
  return {
    integrationId,
    installationId: name.installationId,
    provider,
    webhooks,
    keysOf: (registrationId) =>
      registrationId === undefined || isShared ? keys : (keysByRegistration.get(registrationId) ?? []),
    providerIds: new Map(
      registrations.flatMap(({ id, provider_id }) => (provider_id === null ? [] : [[id, provider_id]])),
    ),
    objects: new Map(objects),
    tokens,
  }
}

/** Returns the apps whose secrets count: those of the provider, or the one of the installation. */
async function appsOf(db: ProjectDb, row: ReceiverRow, { installationId }: ReceiverName): Promise<ProviderAppRow[]> {
  if (installationId === undefined) return listAppsOf(db, row.provider, appsMax)
  const app = await findProviderApp(db, { id: row.providerAppId ?? undefined, provider: row.provider })
  return app ? [app] : []
}

function keysIn({ verify }: Webhooks, text: string | undefined): KeyObject[] {
  return text === undefined ? [] : verifyingKeys(verify, text)
}
