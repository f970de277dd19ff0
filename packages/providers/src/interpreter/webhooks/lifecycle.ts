import type { Webhooks } from '../../catalogue/format/webhooks.ts'
import { compilePath, isObject, scalarText } from '../path.ts'
import { compileLocation, type Headers } from './parse-events.ts'

/** What a notification about a registration asks for. */
export type LifecycleKind = 'renew' | 'lost' | 'missed'

const kinds = ['renew', 'lost', 'missed'] as const

/** Returns what the notifications of a payload ask for; empty for ordinary events. */
export function lifecycleOf({ lifecycle, event }: Webhooks, payload: unknown, headers: Headers): Set<LifecycleKind> {
  if (lifecycle === undefined) return new Set()
  const nameOf = compileLocation(lifecycle.name)
  const found = compilePath(event.list ?? '')(payload)
  const items: unknown[] = Array.isArray(found) ? found : [found]
  const names = new Set(items.filter(isObject).map((item) => scalarText(nameOf(item, payload, headers))))
  return new Set(kinds.filter((kind) => lifecycle[kind]?.some((name) => names.has(name))))
}
