import { InvalidInput, type Issue } from '../../../kernel/http/index.ts'
import {
  type DestinationKind,
  type KindServices,
  kindOf,
  secretNames,
  withoutSecrets,
  withStoredValues,
} from '../kinds/index.ts'
import { type DestinationUpdate, nameIssues } from './model.ts'
import { joinSettings, readJoined } from './request-settings.ts'
import type { DestinationRow } from './store.ts'

/** A destination after an update. */
export interface UpdatedDestination {
  name: string
  /** Undefined when the mask lists none of them. */
  metadata: object | undefined
  /** Whether the request contains its address or its secrets, even unchanged: that enables a disabled destination. */
  enable: boolean
}

/**
 * Applies an update mask: replaces what it lists, and ignores the rest (contract 3.16). A masked value that stands for
 * the stored one keeps it.
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
  }
  if (issues.length > 0) throw new InvalidInput({ issues })
  return { name, metadata, enable }
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
  if (mask === 'type')
    return [
      {
        in: 'body',
        name,
        value: mask,
        detail: 'The type of a destination cannot be changed.',
        remedy: 'Create another destination.',
      },
    ]
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

/** Whether messages go to another address: attempts at the old address say nothing about the new one. */
export function hasNewAddress({ addressKeys }: DestinationKind, before: object, after: object): boolean {
  const addressOf = (settings: object) => JSON.stringify(addressKeys.map((key) => Reflect.get(settings, key)))
  return addressOf(before) !== addressOf(after)
}
