import { InvalidInput, type Issue } from '../../../kernel/http/index.ts'
import {
  type DestinationKind,
  findKind,
  type KindServices,
  kindOf,
  secretNames,
  withoutSecrets,
  withStoredValues,
} from '../kinds/index.ts'
import { redirectIssues } from './kept-secrets.ts'
import { type DestinationUpdate, nameIssues, typeIssue } from './model.ts'
import { joinSettings, readJoined } from './request-settings.ts'
import type { DestinationRow } from './store.ts'

/** A destination after an update. */
export interface UpdatedDestination {
  name: string
  /** The kind after the update. */
  kind: DestinationKind
  /** Undefined when the mask lists none of them. */
  metadata: object | undefined
  /** Whether the request contains its address or its secrets, even unchanged: that enables a disabled destination. */
  enable: boolean
}

/**
 * Applies an update mask: replaces what it lists, and ignores the rest (contract 3.16). A masked value that stands for
 * the stored one keeps it. A secret that would go to another receiver must be given again (decision 0135).
 *
 * @throws InvalidInput with all errors
 */
export function applyUpdate(
  row: Pick<DestinationRow, 'name' | 'type'>,
  stored: object,
  { updateMask, destination }: DestinationUpdate,
  services: Pick<KindServices, 'guard'>,
): UpdatedDestination {
  const kind = kindOf(row.type)
  if (updateMask.includes('type') && destination.type !== undefined && destination.type !== kind.name)
    return changedType(row, { updateMask, destination }, services)
  const issues: Issue[] = updateMask.flatMap((mask, index) => maskIssue(mask, index, destination, kind))
  const listed = (mask: string) => updateMask.includes(mask)
  let name = row.name
  if (listed('name') && destination.name !== undefined) {
    name = destination.name
    issues.push(...nameIssues(name, 'destination.name'))
  }
  let metadata: object | undefined
  const keys = Object.keys(kind.properties).filter((key) => listed(`metadata.${key}`))
  const secrets = secretNames(kind).filter((key) => listed('secrets') || listed(`secrets.${key}`))
  const enable = listed('metadata') || secrets.length > 0 || kind.addressKeys.some((key) => keys.includes(key))
  if (issues.length === 0 && (listed('metadata') || keys.length + secrets.length > 0)) {
    const shown = withStoredValues(destination.metadata ?? {}, stored, kind.maskSettings(stored))
    const given = joinSettings(kind, { metadata: shown, secrets: destination.secrets })
    const kept = listed('metadata') ? secretsOf(kind, stored) : stored
    const changed = listed('metadata') ? Object.keys(withoutSecrets(kind, given)) : keys
    const values = [...changed, ...secrets].map((key) => [key, given[key]])
    const read = readJoined(kind, { ...kept, ...Object.fromEntries(values) }, 'destination.', services)
    metadata = read.settings
    issues.push(...read.issues)
    if (issues.length === 0)
      issues.push(...redirectIssues(kind, { before: stored, after: metadata }, { updateMask, destination }))
  }
  if (issues.length > 0) throw new InvalidInput({ issues })
  return { name, kind, metadata, enable }
}

function secretsOf(kind: DestinationKind, settings: object): object {
  return Object.fromEntries(secretNames(kind).map((name) => [name, Reflect.get(settings, name)]))
}

function maskIssue(
  mask: string,
  index: number,
  destination: DestinationUpdate['destination'],
  kind: DestinationKind,
): Issue[] {
  const secrets = secretNames(kind)
  const masks = [
    'name',
    'metadata',
    ...Object.keys(kind.properties).map((key) => `metadata.${key}`),
    ...(secrets.length > 0 ? ['secrets', ...secrets.map((key) => `secrets.${key}`)] : []),
  ]
  const name = `updateMask[${index}]`
  // Accept the same type: a client that deploys a file lists every field of it.
  if (mask === 'type' && destination.type === kind.name) return []
  if (!masks.includes(mask))
    return [
      {
        in: 'body',
        name,
        value: mask,
        detail: `This cannot be updated on a destination of type ${kind.name}.`,
        remedy: `List only ${masks.join(', ')}.`,
      },
    ]
  const [first = '', second] = mask.split('.')
  const outer: unknown = destination[first as 'name' | 'metadata' | 'secrets']
  const value = second === undefined ? outer : (outer as Record<string, unknown> | undefined)?.[second]
  if (value !== undefined) return []
  return [
    {
      in: 'body',
      name: `destination.${mask}`,
      detail: `${name} lists ${mask}, but destination has no value for it.`,
      remedy: `Give destination.${mask}, or leave it out of updateMask.`,
    },
  ]
}

const partsOfType = ['metadata', 'secrets'] as const

/**
 * Changes the type of a destination. All settings of the new kind come with it, and none of the former kind is kept.
 * Without `secrets` in the mask, it is refused: clients that deploy a file list the type, and never mean to change it.
 *
 * @throws InvalidInput with all errors
 */
function changedType(
  row: Pick<DestinationRow, 'name' | 'type'>,
  { updateMask, destination }: DestinationUpdate,
  services: Pick<KindServices, 'guard'>,
): UpdatedDestination {
  const { type = '', metadata, secrets } = destination
  const name = updateMask.includes('name') ? (destination.name ?? row.name) : row.name
  const kind = findKind(type)
  const issues: Issue[] = [
    ...nameIssues(name, 'destination.name'),
    ...(kind ? [] : [typeIssue(type, 'destination.type')]),
    ...missingParts({ updateMask, destination }),
    ...updateMask.flatMap((mask, index) =>
      ['type', 'name', ...partsOfType].includes(mask)
        ? []
        : [
            {
              in: 'body' as const,
              name: `updateMask[${index}]`,
              value: mask,
              detail: 'With another type, metadata and secrets are replaced as a whole.',
              remedy: 'List only type, name, metadata and secrets.',
            },
          ],
    ),
  ]
  if (!kind) throw new InvalidInput({ issues })
  const read = readJoined(kind, joinSettings(kind, { metadata, secrets }), 'destination.', services)
  if (metadata !== undefined) issues.push(...read.issues)
  if (issues.length > 0) throw new InvalidInput({ issues })
  return { name, kind, metadata: read.settings, enable: true }
}

function missingParts({ updateMask, destination }: DestinationUpdate): Issue[] {
  const remedy = 'Give both as for a new destination of the type. secrets is empty if the type needs none.'
  const unlisted = partsOfType.filter((part) => !updateMask.includes(part))
  const detail = `To change the type, updateMask must list metadata and secrets, too: ${unlisted.join(' and ')} is missing.`
  const without = partsOfType.filter((part) => updateMask.includes(part) && destination[part] === undefined)
  return [
    ...(unlisted.length > 0 ? [{ in: 'body' as const, name: 'updateMask', detail, remedy }] : []),
    ...without.map((part) => ({
      in: 'body' as const,
      name: `destination.${part}`,
      detail: `updateMask lists ${part}, but destination has no value for it.`,
      remedy,
    })),
  ]
}

/** Whether messages go to another address: attempts at the old address say nothing about the new one. */
export function hasNewAddress({ addressKeys }: DestinationKind, before: object, after: object): boolean {
  const addressOf = (settings: object) => JSON.stringify(addressKeys.map((key) => Reflect.get(settings, key)))
  return addressOf(before) !== addressOf(after)
}
