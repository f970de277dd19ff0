import type { Item } from '@mortise/client'
import { words } from './status.tsx'

type Actor = NonNullable<Item<'listTimeline'>['actor']>

/** Who did something, in words. */
export function actorName({ name, id, kind }: Actor): string {
  return name || (kind === 'system' ? 'Mortise' : id) || words(kind)
}
