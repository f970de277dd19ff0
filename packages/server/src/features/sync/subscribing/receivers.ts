import type { KeyObject } from 'node:crypto'
import { keySource, verifyingKeys, type Webhooks } from '@mortise/providers'
import { LRUCache } from 'lru-cache'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Services } from '../../../services.ts'
import { metadataValues } from '../../accounts/connections/index.ts'
import { appValue, findProviderApp } from '../../integrations/provider-apps/index.ts'
import { findReceiver, listProviderApps } from './receiver-store.ts'
import { openRegistrationSecret } from './registration-secret.ts'
import { listRegistrations } from './store.ts'

/** Where events come to, as a URL names it. */
export interface ReceiverName {
  projectId: string
  integrationId: string
  installationId?: string
}

/** What it takes to believe an event, and to know whom it is for. */
export interface Receiver {
  integrationId: string
  installationId: string | undefined
  provider: string
  webhooks: Webhooks
  /** What events may be signed with: those of one registration, or of any. */
  keysOf(registrationId: string | undefined): readonly KeyObject[]
  /** Objects by registration, where each object has one. */
  objects: Map<string, string>
}

/** Believed for this long; it holds secrets, and is looked up again when a signature does not fit. */
const ttlMs = 5_000
/** What was looked up within this time is not looked up again, however many requests do not fit. */
const freshMs = 1_000
const receiversMax = 10_000
const appsMax = 20

export interface Receivers {
  find(name: ReceiverName): Promise<Receiver | undefined>
  /** The same, looked up again unless that was done just now: undefined then. */
  findAgain(name: ReceiverName): Promise<Receiver | undefined>
}

export function createReceivers(services: Pick<Services, 'database' | 'keyring' | 'catalogue'>): Receivers {
  const cache = new LRUCache<string, { receiver: Receiver | undefined; time: number }, ReceiverName>({
    max: receiversMax,
    ttl: ttlMs,
    fetchMethod: async (_, __, { context }) => {
      const time = performance.now()
      const db = services.database.forProject(context.projectId)
      return { receiver: await loadReceiver(db, services, context), time }
    },
  })
  const keyOf = ({ projectId, integrationId, installationId = '' }: ReceiverName) =>
    `${projectId} ${installationId} ${integrationId}`
  return {
    async find(name) {
      const key = keyOf(name)
      return (cache.get(key) ?? (await cache.fetch(key, { context: name })))?.receiver
    },
    async findAgain(name) {
      const known = cache.get(keyOf(name))
      if (known && performance.now() - known.time < freshMs) return undefined
      return (await cache.fetch(keyOf(name), { context: name, forceRefresh: true }))?.receiver
    },
  }
}

async function loadReceiver(
  db: ProjectDb,
  { keyring, catalogue }: Pick<Services, 'keyring' | 'catalogue'>,
  name: ReceiverName,
): Promise<Receiver | undefined> {
  const row = await findReceiver(db, name)
  const webhooks = row && catalogue.find(row.provider)?.file?.webhooks
  // Events of one installation are not taken at the URL of all of them, nor the other way round.
  if (!row || !webhooks || (webhooks.endpoint === 'app') !== (name.installationId === undefined)) return undefined
  const source = keySource(webhooks.verify)
  const registrations = name.installationId === undefined ? [] : await listRegistrations(db, [name.installationId])
  const keys: KeyObject[] = []
  const keysByRegistration = new Map<string, KeyObject[]>()
  if (source.from === 'connection') keys.push(...keysIn(webhooks, metadataValues(row.providerMetadata)[source.name]))
  else if (source.from === 'app') {
    const apps =
      name.installationId === undefined
        ? await listProviderApps(db, row.provider, appsMax)
        : [await findProviderApp(db, { id: row.providerAppId ?? undefined, provider: row.provider })]
    for (const app of apps) {
      const secret = app && appValue(keyring, app, source.name ?? 'clientSecret')
      keys.push(...keysIn(webhooks, secret))
    }
  } else
    for (const registration of registrations) {
      const own = keysIn(webhooks, openRegistrationSecret({ keyring }, db.projectId, registration))
      keys.push(...own)
      keysByRegistration.set(registration.id, own)
    }
  const objects = registrations.flatMap(({ id, object }): [string, string][] => (object === null ? [] : [[id, object]]))
  const { integrationId, provider } = row
  return {
    integrationId,
    installationId: name.installationId,
    provider,
    webhooks,
    keysOf: (registrationId) =>
      registrationId === undefined || source.from === 'app' || source.from === 'connection'
        ? keys
        : (keysByRegistration.get(registrationId) ?? []),
    objects: new Map(objects),
  }
}

function keysIn({ verify }: Webhooks, text: string | undefined): KeyObject[] {
  return text === undefined ? [] : verifyingKeys(verify, text)
}
