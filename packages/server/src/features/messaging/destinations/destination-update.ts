import { InvalidInput, type Issue } from '../../../kernel/http/index.ts'
import type { AddressGuard } from '../../../kernel/net/index.ts'
import { maskIssues, withStoredValues } from './masked-metadata.ts'
import { type DestinationUpdate, nameIssues, type WebhookMetadata } from './model.ts'
import type { DestinationRow } from './store.ts'
import { readWebhookMetadata } from './webhook-metadata.ts'

const masks = ['name', 'metadata', 'metadata.url', 'metadata.headers']

/** A destination as it is to be. */
export interface UpdatedDestination {
  name: string
  /** Undefined when the mask lists none of them. */
  metadata: WebhookMetadata | undefined
  /** Whether the URL was given, even the same: that enables a disabled destination. */
  enable: boolean
}

/**
 * Applies an update mask: what it lists is replaced, what it does not list is ignored (contract 3.16). A masked value
 * that stands for the stored one keeps it.
 * @throws InvalidInput with everything that is wrong
 */
export function applyUpdate(
  row: Pick<DestinationRow, 'name' | 'type'>,
  stored: WebhookMetadata,
  { updateMask, destination }: DestinationUpdate,
  guard: AddressGuard,
): UpdatedDestination {
  const issues: Issue[] = updateMask.flatMap((mask, index) => maskIssue(mask, index, destination, row.type))
  const listed = (mask: string) => updateMask.includes(mask)
  let name = row.name
  if (listed('name') && destination.name !== undefined) {
    name = destination.name
    issues.push(...nameIssues(name, 'destination.name'))
  }
  let metadata: WebhookMetadata | undefined
  const given = withStoredValues(destination.metadata ?? {}, stored)
  const enable = listed('metadata') || listed('metadata.url')
  if (issues.length === 0 && (enable || listed('metadata.headers'))) {
    const base: Record<string, unknown> = listed('metadata') ? given : { ...stored }
    if (listed('metadata.url')) base['url'] = given['url']
    if (listed('metadata.headers')) base['headers'] = given['headers']
    const read = readWebhookMetadata(base, 'destination.metadata', guard)
    metadata = read.metadata
    issues.push(...maskIssues(base, 'destination.metadata'), ...read.issues)
  }
  if (issues.length > 0) throw new InvalidInput({ issues })
  return { name, metadata, enable }
}

function maskIssue(mask: string, index: number, destination: DestinationUpdate['destination'], type: string): Issue[] {
  const name = `updateMask[${index}]`
  // A client lists every field of a file that it deploys: to keep the type is no change.
  if (mask === 'type' && destination.type === type) return []
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
        detail: 'This cannot be updated on a webhook.',
        remedy: `List only ${masks.join(', ')}.`,
      },
    ]
  const [first = '', second] = mask.split('.')
  const outer: unknown = destination[first as 'name' | 'metadata']
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
