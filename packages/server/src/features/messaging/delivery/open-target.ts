import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { AddressGuard, NameResolver, Outbound } from '../../../kernel/net/index.ts'
import type { DeliveryTarget } from '../destinations/index.ts'
import type { Sender } from '../kinds/index.ts'
import { findMessageResult } from '../messages/index.ts'

/** A destination with an open sender. */
export interface OpenTarget {
  target: DeliveryTarget
  sender: Sender
  /** Values that must not be recorded. */
  secrets: string[]
}

/** Minimum length of a credential. Shorter values occur in any text. */
const credentialFrom = 8

export function openTarget(
  { guard, names, outbound }: { guard: AddressGuard; names: NameResolver; outbound: Outbound },
  db: ProjectDb,
  target: DeliveryTarget,
): OpenTarget {
  const { kind, settings, keys } = target
  return {
    target,
    sender: kind.open(settings, {
      guard,
      names,
      outbound,
      keys,
      project: db.projectId,
      destination: target.id,
      loadResult: (messageId) => findMessageResult(db, messageId),
    }),
    secrets: kind.secretsOf(settings).filter((value) => value.length >= credentialFrom),
  }
}
