import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { AddressGuard, NameResolver, Outbound } from '../../../kernel/net/index.ts'
import type { DeliveryTarget, DestinationHooks } from '../destinations/index.ts'
import { openSender, type Sender, type StoredResult } from '../kinds/index.ts'
import {
  findMessageResult,
  findMessageResultBytes,
  findMessageResultPart,
  findMessagesKeptFrom,
} from '../messages/index.ts'
import { storeRecords } from '../records/index.ts'

/** A destination with an open sender. */
export interface OpenTarget {
  target: DeliveryTarget
  sender: Sender
  /** Values that must not be recorded. */
  secrets: string[]
}

/** Minimum length of a credential. Shorter values occur in any text. */
const credentialFrom = 8

interface OpenServices {
  guard: AddressGuard
  names: NameResolver
  outbound: Outbound
  keyring: Keyring
  hooks: Pick<DestinationHooks, 'fieldTypes' | 'originsOf'>
}

export function openTarget(
  { guard, names, outbound, keyring, hooks }: OpenServices,
  db: ProjectDb,
  target: DeliveryTarget,
): OpenTarget {
  const { kind, settings, keys } = target
  return {
    target,
    sender: openSender(kind, settings, {
      guard,
      names,
      outbound,
      keys,
      project: db.projectId,
      destination: target.id,
      loadResult: (messageId) => findMessageResult(db, messageId),
      openResult: (messageId) => openResult(db, messageId),
      originsOf: (sources) => hooks.originsOf(db, target, sources),
      fieldTypes: (objects) => hooks.fieldTypes(db, objects),
      messagesKeptFrom: () => findMessagesKeptFrom(db),
      storeRecords: (changes, options) => storeRecords(db, { keyring, destinationId: target.id }, changes, options),
    }),
    secrets: kind.secretsOf(settings).filter((value) => value.length >= credentialFrom),
  }
}

async function openResult(db: ProjectDb, id: string): Promise<StoredResult | undefined> {
  const bytes = await findMessageResultBytes(db, id)
  if (bytes === undefined) return undefined
  return { bytes, read: (from, length) => findMessageResultPart(db, id, { from, bytes: length }) }
}
